#include "passes/quantization/layers/keep_list.h"

#include <fnmatch.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/ops/op_families.h"

namespace ns {

bool IsKeptBy(const FloatSubgraph& subgraph, const std::string& entry) {
  return fnmatch(entry.c_str(), subgraph.name.c_str(), 0) == 0 ||
         entry == subgraph.op || entry == subgraph.family ||
         (entry == subgraph.module_type && !entry.empty()) ||
         absl::EndsWith(subgraph.module_type, absl::StrCat(".", entry));
}

bool IsNameOfLayer(const std::string& entry) {
  const std::string last = entry.substr(entry.rfind('.') + 1);
  return entry.find_first_of("*?[") == std::string::npos &&
         !absl::StrContains(entry, "::") && FindFamily(entry) == nullptr &&
         (last.empty() ||
          !absl::ascii_isupper(static_cast<unsigned char>(last[0])));
}

}  // namespace ns
