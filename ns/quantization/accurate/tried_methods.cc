#include "ns/quantization/accurate/tried_methods.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace ns {

void DropKept(absl::string_view reason, std::vector<TriedMethod>& tried) {
  for (TriedMethod& method : tried) {
    if (method.IsKept()) {
      method.reason = std::string(reason);
    }
  }
}

std::string CannotMeasure(absl::string_view what, const absl::Status& status) {
  return absl::StrCat(
      what, ", as it cannot be measured what helps: ", status.message());
}

}  // namespace ns
