#include "ns/quantization/tried_methods.h"

#include <string>

namespace ns {

void DropKept(absl::string_view reason, std::vector<TriedMethod>& tried) {
  for (TriedMethod& method : tried) {
    if (method.IsKept()) {
      method.reason = std::string(reason);
    }
  }
}

}  // namespace ns
