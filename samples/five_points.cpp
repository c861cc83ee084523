// SPDX-License-Identifier: BSD-3-Clause
// The public question about linformer-pytorch: five points, first and last exchanged. Why do the outputs
// of the three untouched points change, and what keeps them? The networks are those of its own runs.
//   five_points [FOLDER with issue_five_points.safetensors and issue_five_points_full.safetensors]
#include <pcl_attention/encoder.h>
#include <pcl_attention/import.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

using namespace pcl_attention;

using Points = std::array<std::array<float, 3>, 5>;
using Rows = std::array<std::array<double, 3>, 5>;

const Points question{{{-0.41600922F, -0.22286212F, 0.21630904F},
                       {0.52387345F, 0.6090266F, 0.7696133F},
                       {0.7017665F, -0.12143523F, -1.4515276F},
                       {-2.2305756F, -1.7935432F, -0.5610356F},
                       {-0.6313653F, 0.09934781F, -0.5247128F}}};

/// Returns a network of the question, as trained by PyTorch's initialisation.
ModelPtr load(const std::string& folder, bool full_attention) {
  LinformerPytorchOptions options;
  options.prefix = "model.";
  options.fields = {"x", "y", "z"};
  options.full_attention = full_attention;
  const std::string name = full_attention ? "issue_five_points_full" : "issue_five_points";
  return import_linformer_pytorch(folder + "/" + name + ".safetensors", options);
}

Rows encode(const ModelPtr& model, Curve order, const Points& points) {
  EncodeInput input;
  input.surface.data = reinterpret_cast<const std::byte*>(points.data());
  input.surface.size = sizeof(points);
  input.surface.width = points.size();
  input.surface.point_step = sizeof(points[0]);
  input.surface.fields = {
      {"x", FieldType::float32, 0, 1}, {"y", FieldType::float32, 4, 1}, {"z", FieldType::float32, 8, 1}};
  EncoderOptions options;
  options.order = order;
  options.device = Device::reference;
  Rows rows;
  Encoder(model, options).encode(input, rows[0].data());
  return rows;
}

/// Prints both outputs side by side, point by point; returns the largest change of an untouched point.
double compare(const char* title, const ModelPtr& model, Curve order) {
  Points exchanged = question;
  std::swap(exchanged.front(), exchanged.back());
  const Rows before = encode(model, order, question), after = encode(model, order, exchanged);
  std::printf("\n%s\n          output                        output, first and last exchanged\n", title);
  double largest = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    const bool moved = i == 0 || i == 4;
    double change = 0.0;
    for (std::size_t c = 0; c < 3; ++c) change = std::max(change, std::abs(before[i][c] - after[i][c]));
    if (!moved) largest = std::max(largest, change);
    const auto &b = before[i], &a = after[i];
    std::printf("point %zu  %8.4f %8.4f %8.4f    %8.4f %8.4f %8.4f   %s\n", i, b[0], b[1], b[2], a[0], a[1],
                a[2],
                moved            ? "exchanged"
                : change > 1e-12 ? "untouched, yet changed"
                                 : "untouched, same");
  }
  return largest;
}

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : PCL_ATTENTION_FIVE_POINTS;
  const ModelPtr learned = load(folder, false), full = load(folder, true);
  const double as_given = compare("learned projection, points as they come", learned, Curve::none);
  const double attention = compare("full attention, points as they come", full, Curve::none);
  const double ordered = compare("learned projection behind Morton order", learned, Curve::morton);
  std::printf("\nlargest change of an untouched point: %.2g, %.2g, %.2g\n", as_given, attention, ordered);
  return as_given > 1e-3 && attention < 1e-12 && ordered == 0.0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "five_points: %s\n", error.what());
  return 2;
}
