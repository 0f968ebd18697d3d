#include "ns/compare/engines.h"

#include <ATen/Context.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/base/engine_error.h"

namespace ns {
namespace {

constexpr absl::string_view kEngines[] = {"onednn", "qnnpack", "fbgemm"};

at::QEngine EngineNamed(absl::string_view name) {
  if (name == "onednn") {
    return at::kONEDNN;
  }
  return name == "qnnpack" ? at::kQNNPACK : at::kFBGEMM;
}

}  // namespace

std::vector<std::string> AvailableEngines() {
  const std::vector<at::QEngine>& supported =
      at::globalContext().supportedQEngines();
  std::vector<std::string> engines;
  for (absl::string_view name : kEngines) {
    if (std::find(supported.begin(), supported.end(), EngineNamed(name)) !=
        supported.end()) {
      engines.emplace_back(name);
    }
  }
  return engines;
}

absl::Status WithEngine(const std::string& engine,
                        const std::function<absl::Status()>& use) {
  const std::vector<std::string> engines =
      engine.empty() ? AvailableEngines() : std::vector<std::string>{engine};
  if (engines.empty()) {
    return use();
  }
  absl::Status first_error;
  for (const std::string& name : engines) {
    at::globalContext().setQEngine(EngineNamed(name));
    const absl::Status status = use();
    if (!IsEngineError(status)) {
      return status;
    }
    if (first_error.ok()) {
      first_error = status;
    }
  }
  return first_error;
}

}  // namespace ns
