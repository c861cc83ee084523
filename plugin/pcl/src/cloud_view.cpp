// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/cloud_view.h"

#include <string>

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

FieldType type_of(const pcl::PCLPointField& field) {
  switch (field.datatype) {
    case pcl::PCLPointField::BOOL:
      return FieldType::boolean;
    case pcl::PCLPointField::INT8:
      return FieldType::int8;
    case pcl::PCLPointField::UINT8:
      return FieldType::uint8;
    case pcl::PCLPointField::INT16:
      return FieldType::int16;
    case pcl::PCLPointField::UINT16:
      return FieldType::uint16;
    case pcl::PCLPointField::INT32:
      return FieldType::int32;
    case pcl::PCLPointField::UINT32:
      return FieldType::uint32;
    case pcl::PCLPointField::INT64:
      return FieldType::int64;
    case pcl::PCLPointField::UINT64:
      return FieldType::uint64;
    case pcl::PCLPointField::FLOAT32:
      return FieldType::float32;
    case pcl::PCLPointField::FLOAT64:
      return FieldType::float64;
    default:
      break;
  }
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
