#include "ns/report/json/metric_name.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "ir/json/json_keys.h"
#include "ns/report/csv_report.h"
#include "ns/report/json/comparison_map.h"

namespace ns {
namespace {

// The fields of all objects that compared values are part of, and columns.
std::vector<std::string> TakenNames() {
  std::vector<std::string> names = CsvColumns();
  for (const std::vector<std::string>& fields :
       {ActivationMembers(), JsonPaths<StubComparison>(),
        JsonPaths<StubOutput>(), JsonPaths<ModuleOutputComparison>()}) {
    names.insert(names.end(), fields.begin(), fields.end());
  }
  return names;
}

}  // namespace

absl::Status CheckMetricName(absl::string_view name) {
  const bool is_identifier = !name.empty() && !absl::ascii_isdigit(name[0]) &&
                             absl::c_all_of(name, [](char c) {
                               return absl::ascii_isalnum(c) || c == '_';
                             });
  if (!is_identifier) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", name,
                     "' cannot name a metric: use letters, digits and _, not "
                     "a digit first"));
  }
  return absl::c_linear_search(TakenNames(), name)
             ? absl::InvalidArgumentError(absl::StrCat(
                   "'", name,
                   "' is a field of every comparison; give the metric "
                   "another name"))
             : absl::OkStatus();
}

}  // namespace ns
