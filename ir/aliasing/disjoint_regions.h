// Sets of values that may share memory, which grow together.
#ifndef IR_ALIASING_DISJOINT_REGIONS_H_
#define IR_ALIASING_DISJOINT_REGIONS_H_

#include <vector>

namespace ns {

// Numbers regions of memory, and joins them. Each may have a content: the
// region of all that a container in it may hold. When two regions are joined,
// so are their contents (Steensgaard, "Points-to analysis in almost linear
// time", 1996).
class DisjointRegions {
 public:
  // Returns the number of a new region.
  int Add();

  // Returns the number that stands for `region` and all that it was joined
  // with.
  int Find(int region);

  // Returns the content of `region`, which is a new region at first.
  int ContentOf(int region);

  void Join(int a, int b);

 private:
  // What each region was joined with; itself at first.
  std::vector<int> parents_;
  // -1 for none.
  std::vector<int> contents_;
};

}  // namespace ns

#endif  // IR_ALIASING_DISJOINT_REGIONS_H_
