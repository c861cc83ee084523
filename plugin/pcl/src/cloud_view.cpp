// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/cloud_view.h"

#include <string>

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

/// The numbers of FieldType are PCL's; not every version of PCL names them all.
FieldType type_of(const pcl::PCLPointField& field) {
  const auto type = static_cast<FieldType>(field.datatype);
  if (type >= FieldType::int8 && type <= FieldType::boolean) return type;
  throw CloudError("field '" + field.name + "' has the unknown type " + std::to_string(field.datatype));
}

}  // namespace

std::vector<Field> fields_of(const std::vector<pcl::PCLPointField>& fields) {
  std::vector<Field> result;
  result.reserve(fields.size());
  for (const pcl::PCLPointField& field : fields)
    result.push_back({field.name, type_of(field), field.offset, field.count == 0 ? 1 : field.count});
  return result;
}

CloudView view_of(const pcl::PCLPointCloud2& cloud) {
  CloudView view;
  view.data = reinterpret_cast<const std::byte*>(cloud.data.data());
  view.size = cloud.data.size();
  view.width = cloud.width;
  view.height = cloud.height;
  view.point_step = cloud.point_step;
  view.row_step = cloud.row_step;
  view.big_endian = cloud.is_bigendian != 0;
  view.fields = fields_of(cloud.fields);
  view.check();
  return view;
}

}  // namespace pcl_attention
