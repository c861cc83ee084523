// SPDX-License-Identifier: BSD-3-Clause
#include "neighbourhood/nearest.h"

#include <algorithm>
#include <limits>
#include <nanoflann.hpp>

namespace pcl_attention {
namespace {

constexpr std::size_t kLeafPlaces = 16;

/// nanoflann's view of places.
struct PlacesView {
  const Places& places;

  std::size_t kdtree_get_point_count() const { return places.size(); }
  double kdtree_get_pt(std::size_t place, std::size_t axis) const { return places.coordinate(place, axis); }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// What nanoflann hands the places it meets to. Places that are as far as the last one are looked at, too,
/// so that rank decides among equal distances and not the tree.
class NearestSet {
 public:
  NearestSet(const Places& places, Neighbours& found) : places_(places), found_(found) {}

  std::size_t size() const { return found_.size; }
  bool full() const { return found_.size == kNeighbours; }
  void sort() {}  // newer nanoflann asks for it; the set is always sorted

  /// Returns the distance² from which on nothing is of interest. The margin is more than the rounding in
  /// nanoflann's bound of a branch.
  double worstDist() const {
    constexpr double margin = 1.0 + 1e-12;
    return full() ? found_.squared[kNeighbours - 1] * margin : std::numeric_limits<double>::max();
  }

  bool addPoint(double squared, std::uint32_t place) {
    std::size_t at = found_.size;
    while (at > 0 && is_before(squared, place, at - 1)) --at;
    const std::size_t others = places_.num_copies(place) - (squared == 0.0 ? 1 : 0);
    const std::size_t copies = std::min(others, kNeighbours - at);
    const std::size_t end = std::min(found_.size + copies, kNeighbours);
    for (std::size_t i = end; i-- > at + copies;) {
      found_.squared[i] = found_.squared[i - copies];
      found_.place[i] = found_.place[i - copies];
    }
    std::fill_n(found_.squared.begin() + static_cast<std::ptrdiff_t>(at), copies, squared);
    std::fill_n(found_.place.begin() + static_cast<std::ptrdiff_t>(at), copies, place);
    found_.size = end;
    return true;
  }

 private:
  bool is_before(double squared, std::uint32_t place, std::size_t i) const {
    return squared < found_.squared[i] || (squared == found_.squared[i] && place < found_.place[i]);
  }

  const Places& places_;
  Neighbours& found_;
};

using Distance = nanoflann::L2_Simple_Adaptor<double, PlacesView, double, std::uint32_t>;
using Index = nanoflann::KDTreeSingleIndexAdaptor<Distance, PlacesView, 3, std::uint32_t>;

}  // namespace

struct NearestPoints::Tree {
  explicit Tree(const Places& places) : view{places}, index(3, view, {kLeafPlaces}) {}

  PlacesView view;
  Index index;
};

NearestPoints::NearestPoints(const Places& places) : tree_(std::make_unique<Tree>(places)) {}
NearestPoints::~NearestPoints() = default;

void NearestPoints::build() { tree_->index.buildIndex(); }

Neighbours NearestPoints::find(const std::array<double, 3>& position) const {
  Neighbours found;
  NearestSet set(tree_->view.places, found);
  tree_->index.radiusSearchCustomCallback(position.data(), set);
  return found;
}

}  // namespace pcl_attention
