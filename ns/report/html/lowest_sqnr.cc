#include "ns/report/html/lowest_sqnr.h"

#include "ir/json/json_value.h"
#include "ns/findings/figure_text.h"

namespace ns {

std::optional<NamedDb> LowestSqnr(const llvm::json::Array& array) {
  std::optional<NamedDb> lowest;
  for (const llvm::json::Value& element : array) {
    const std::optional<double> db = NumberMember(element, "sqnr_db");
    if (db && FindMember(element, "integers") == nullptr &&
        (!lowest || IsLowerDb(*db, lowest->db))) {
      lowest = NamedDb{TextMember(element, "name"), *db};
    }
  }
  return lowest;
}

}  // namespace ns
