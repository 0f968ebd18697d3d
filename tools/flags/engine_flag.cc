#include "tools/flags/engine_flag.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ns/compare/engines.h"

namespace ns {

absl::StatusOr<std::string> ParseEngine(const Flags& flags) {
  std::string engine = flags.Get("engine");
  const std::vector<std::string> available = AvailableEngines();
  if (flags.Has("engine") && !absl::c_linear_search(available, engine)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--engine=", engine, " is not one of ",
                     absl::StrJoin(available, ", ")));
  }
  return engine;
}

}  // namespace ns
