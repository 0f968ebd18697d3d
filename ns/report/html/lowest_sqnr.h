// Finds the lowest figure among elements of JSON.
#ifndef NS_REPORT_HTML_LOWEST_SQNR_H_
#define NS_REPORT_HTML_LOWEST_SQNR_H_

#include <optional>
#include <string>

#include "llvm/Support/JSON.h"

namespace ns {

// A figure in dB, and the name of what has it.
struct NamedDb {
  std::string name;
  double db = 0;
};

// Returns the element of an array with the lowest "sqnr_db", nan before all,
// and its "name"; absent where none has such a number. Elements with "integers"
// (ModuleOutputComparison::holds_integers) do not count.
std::optional<NamedDb> LowestSqnr(const llvm::json::Array& array);

}  // namespace ns

#endif  // NS_REPORT_HTML_LOWEST_SQNR_H_
