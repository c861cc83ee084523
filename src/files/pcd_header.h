// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/cloud_header.h"
#include "files/text_lines.h"

namespace pcl_attention {

/// Returns what the header of a PCD file says, and leaves `lines` at its DATA line.
///
/// Checked are the entries alone, not the body. Entries come in the order of the format: VERSION,
/// FIELDS (or COLUMNS), SIZE, TYPE, COUNT; WIDTH, HEIGHT, VIEWPOINT, POINTS in any order; DATA. As in
/// PCL, VERSION, COUNT and VIEWPOINT may be missing, also WIDTH and HEIGHT (one row of POINTS), also
/// SIZE and TYPE together (float32).
/// @throws FileError naming file, line and what was expected.
CloudHeader parse_pcd_header(TextLines& lines);

/// Returns nothing; after it the text behind the header holds what the header promises.
/// @throws FileError naming file, line and what was expected. Time O(bytes) for ascii, else O(fields).
void check_pcd_body(const CloudHeader& header, TextLines& lines);

}  // namespace pcl_attention
