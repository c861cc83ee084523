// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace pcl_attention::bench {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

double load_of_one_minute() {
  double load = 0.0;
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

Row machine() {
  return {{"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"compiler", __VERSION__},
          {"load", load_of_one_minute()}};
}

std::string text_of(const Row& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump();
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value.get<double>());
  return text;
}

}  // namespace

Arguments::Arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick")
      quick = true;
    else if (word == "--json" && i + 1 < argc)
      json = argv[++i];
    else if (word.rfind("--", 0) == 0)
      throw std::invalid_argument("usage: [--quick] [--json FILE] [WORD...], not " + word);
    else
      words.push_back(word);
  }
}

Report::Report(std::string name) {
  content_ = {{"benchmark", std::move(name)}, {"machine", machine()}, {"tables", Row::object()}};
  std::printf("## %s, load %.2f\n", content_["benchmark"].get<std::string>().c_str(), load_of_one_minute());
}

void Report::table(const std::string& title, const std::vector<Row>& rows) {
  content_["tables"][title] = rows;
  std::printf("\n%s\n", title.c_str());
  if (rows.empty()) return;
  std::vector<std::size_t> widths;
  for (const auto& [column, first] : rows.front().items()) {
    widths.push_back(column.size());
    for (const Row& row : rows) widths.back() = std::max(widths.back(), text_of(row[column]).size());
    std::printf("%*s  ", static_cast<int>(widths.back()), column.c_str());
  }
  std::printf("\n");
  for (const Row& row : rows) {
    std::size_t i = 0;
    for (const auto& [column, value] : row.items())
      std::printf("%*s  ", static_cast<int>(widths[i++]), text_of(value).c_str());
    std::printf("\n");
  }
  std::fflush(stdout);
}

void Report::write(const std::string& path) const {
  if (path.empty()) return;
  std::ofstream file(path);
  file << content_.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void require(bool right, const std::string& what) {
  if (!right) throw std::runtime_error(what);
}

}  // namespace pcl_attention::bench
