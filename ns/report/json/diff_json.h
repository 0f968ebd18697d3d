// Writes how two comparisons differ as JSON.
#ifndef NS_REPORT_JSON_DIFF_JSON_H_
#define NS_REPORT_JSON_DIFF_JSON_H_

#include <string>
#include <vector>

#include "ns/findings/limits/comparison_diff.h"
#include "ns/result/limit_check.h"

namespace ns {

// The paths of the compared files.
struct DiffPaths {
  std::string a;
  std::string b;
};

// Returns one object of the schema "ns.diff/1":
//
//   "a", "b"            the paths
//   "equal"             whether layers, figures and "unmatched" are the same
//   "layers"            layers and modules of which a figure differs, each with
//                       its "name" and "figures": "figure" (DiffedFigure),
//                       "part" (the weight or output, absent for the first),
//                       "a_db", "b_db", "change_db" and "tolerance_db"
//   "figures_only_a", "figures_only_b"
//                       figures that only one comparison has: "name", "figure"
//                       and "part"
//   "new", "vanished"   names of layers
//   "unmatched", "batches"
//                       numbers, each with "a" and "b"
//   "limits"            as in "ns.compare/1"; only with `checks`
std::string ToDiffJson(const ComparisonDiff& diff, const DiffPaths& paths,
                       const std::vector<LimitCheck>& checks);

}  // namespace ns

#endif  // NS_REPORT_JSON_DIFF_JSON_H_
