#include "ir/aliasing/disjoint_regions.h"

#include <utility>

namespace ns {

int DisjointRegions::Add() {
  const auto region = static_cast<int>(parents_.size());
  parents_.push_back(region);
  contents_.push_back(-1);
  return region;
}

int DisjointRegions::Find(int region) {
  while (parents_[region] != region) {
    parents_[region] = parents_[parents_[region]];
    region = parents_[region];
  }
  return region;
}

int DisjointRegions::ContentOf(int region) {
  region = Find(region);
  if (contents_[region] < 0) {
    const int content = Add();
    contents_[region] = content;
  }
  return Find(contents_[region]);
}

void DisjointRegions::Join(int a, int b) {
  std::vector<std::pair<int, int>> pairs = {{a, b}};
  while (!pairs.empty()) {
    const int kept = Find(pairs.back().first);
    const int joined = Find(pairs.back().second);
    pairs.pop_back();
    if (kept == joined) {
      continue;
    }
    parents_[joined] = kept;
    if (contents_[kept] < 0) {
      contents_[kept] = contents_[joined];
    } else if (contents_[joined] >= 0) {
      pairs.emplace_back(contents_[kept], contents_[joined]);
    }
  }
}

}  // namespace ns
