// SPDX-License-Identifier: BSD-3-Clause
#include "kept_points.h"

#include <limits>
#include <stdexcept>

#include "cloud_fields.h"
#include "pcl_attention/pcl/cloud_contract.h"
#include "shared_options.h"

namespace pcl_attention::command {
namespace {

pcl::PCLPointCloud2 kept_cloud(const pcl::PCLPointCloud2& cloud, const KeptPoints& points,
                               bool keep_organised) {
  if (!keep_organised) return select_points(cloud, points.kept);
  pcl::PCLPointCloud2 result = cloud;
  const pcl::Indices removed(points.removed.begin(), points.removed.end());
  set_coordinates(removed, std::numeric_limits<float>::quiet_NaN(), result);
  return result;
}

}  // namespace

void add_kept_options(CLI::App& app, KeptOptions& options, const std::string& others) {
  app.add_option("IN", options.in, "cloud (.pcd .ply .bin)")->required();
  app.add_option("OUT", options.out, "the points kept, with all their fields (.pcd .ply)")->required();
  app.add_flag("--negative", options.negative, "keep " + others + " instead");
  app.add_flag("--keep-organised,--keep-organized", options.keep_organised,
               "keep rows and columns: x, y, z of removed points become NaN");
  app.add_option("--removed", options.removed, "write the removed points, invalid ones among them")
      ->type_name("FILE");
}

void check_kept_outputs(const KeptOptions& options) {
  check_cloud_output(options.out);
  if (!options.removed.empty()) check_cloud_output(options.removed);
  if (options.removed == options.out)
    throw std::invalid_argument("--removed and OUT are one file: " + options.out);
  check_writable({options.out, options.removed});
}

void write_kept(const CloudFile& file, const KeptPoints& points, const KeptOptions& options) {
  const pcl::PCLPointCloud2 kept = kept_cloud(file.cloud, points, options.keep_organised);
  if (!options.removed.empty())
    write_cloud({select_points(file.cloud, points.removed), file.viewpoint}, options.removed);
  write_cloud({kept, file.viewpoint}, options.out);
}

}  // namespace pcl_attention::command
