// SPDX-License-Identifier: BSD-3-Clause
// Encodes one input again and again on request, so that compare_torch.py can take turns with it.
//   bench_encode_server STATE_DICT.safetensors linformer|full INPUT
// INPUT holds rows of raw float32. Reads lines: `run` prints the seconds of one call, on the clock and on the
// processors, its output freshly allocated; `rows FILE` writes the last output as raw float32; `quit` ends.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/measure.h"
#include "files/file_bytes.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/import.h"

namespace {

using namespace pcl_attention;

class Server {
 public:
  Server(const std::string& state_dict, bool full, const std::string& input)
      : bytes_(read_file_bytes(input)), encoder_(model(state_dict, full)) {
    const std::size_t width = encoder_.model().config().channels;
    input_.surface.data = reinterpret_cast<const std::byte*>(bytes_.data());
    input_.surface.size = bytes_.size();
    input_.surface.point_step = width * sizeof(float);
    input_.surface.width = bytes_.size() / input_.surface.point_step;
    input_.surface.fields = {{"features", FieldType::float32, 0, width}};
    size_ = input_.surface.width * encoder_.model().config().output_width();
  }

  bench::Seconds run() {
    rows_.reset();
    return bench::time_call([&] {
      rows_.reset(new float[size_]);
      encoder_.encode(input_, rows_.get());
    });
  }

  void write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(rows_.get()),
               static_cast<std::streamsize>(size_ * sizeof(float)));
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
  }

  const std::string& engine() const { return encoder_.engine(); }

 private:
  static ModelPtr model(const std::string& state_dict, bool full) {
    LinformerPytorchOptions options;
    options.full_attention = full;
    return import_linformer_pytorch(state_dict, options);
  }

  std::string bytes_;
  Encoder encoder_;
  EncodeInput input_;
  std::size_t size_ = 0;
  std::unique_ptr<float[]> rows_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::invalid_argument("usage: STATE_DICT.safetensors linformer|full INPUT");
  Server server(argv[1], std::string(argv[2]) == "full", argv[3]);
  std::cout << server.engine() << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    if (line == "run") {
      const bench::Seconds seconds = server.run();
      std::cout << seconds.wall << ' ' << seconds.cpu << std::endl;
    } else if (line.rfind("rows ", 0) == 0) {
      server.write(line.substr(5));
      std::cout << "written" << std::endl;
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "encode_server: %s\n", error.what());
  return 1;
}
