// Writes how two comparisons differ as JSON.
#ifndef NS_REPORT_DIFF_JSON_H_
#define NS_REPORT_DIFF_JSON_H_

#include <string>
#include <vector>

#include "ns/report/comparison_diff.h"
#include "ns/suite/limit_check.h"

namespace ns {

// The paths of the compared files.
struct DiffPaths {
  std::string a;
  std::string b;
};

// Returns one object of the schema "ns.diff/1": "a" and "b", the paths;
// "equal"; "layers", those of which a figure differs, each with its "name" and
// "figures": "figure" ("activation"), "part" (the weight or output, absent for
// the first), "a_db", "b_db", "change_db" and "tolerance_db"; "new" and
// "vanished", names; "unmatched" and "batches", each with "a" and "b"; and with
// `checks` "limits", as in "ns.compare/1".
std::string ToDiffJson(const ComparisonDiff& diff, const DiffPaths& paths,
                       const std::vector<LimitCheck>& checks);

}  // namespace ns

#endif  // NS_REPORT_DIFF_JSON_H_
