#include "passes/quantization/layers/keep_list.h"

#include <fnmatch.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ns {

bool IsKeptBy(const FloatSubgraph& subgraph, const std::string& entry) {
  return fnmatch(entry.c_str(), subgraph.name.c_str(), 0) == 0 ||
         entry == subgraph.op || entry == subgraph.family ||
         (entry == subgraph.module_type && !entry.empty()) ||
         absl::EndsWith(subgraph.module_type, absl::StrCat(".", entry));
}

}  // namespace ns
