#include "ns/compare/engines.h"

#include <ATen/Context.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/base/engine_error.h"

namespace ns {
namespace {

struct NamedEngine {
  absl::string_view name;
  at::QEngine engine;
};

// fbgemm first: it is what most servers run.
constexpr NamedEngine kEngines[] = {
    {"fbgemm", at::QEngine::FBGEMM},
    {"x86", at::QEngine::X86},
    {"onednn", at::QEngine::ONEDNN},
    {"qnnpack", at::QEngine::QNNPACK},
};

}  // namespace

std::vector<std::string> AvailableEngines() {
  std::vector<std::string> names;
  for (const NamedEngine& row : kEngines) {
    if (absl::c_linear_search(at::globalContext().supportedQEngines(),
                              row.engine)) {
      names.emplace_back(row.name);
    }
  }
  return names;
}

absl::Status WithEngine(const std::string& engine,
                        const std::function<absl::Status()>& use) {
  std::vector<std::string> engines = AvailableEngines();
  if (!engine.empty()) {
    if (!absl::c_linear_search(engines, engine)) {
      return absl::InvalidArgumentError(
          absl::StrCat("this LibTorch has no engine ", engine, "; use ",
                       absl::StrJoin(engines, ", ")));
    }
    engines = {engine};
  }
  if (engines.empty()) {
    return use();
  }
  absl::Status first_error;
  for (const std::string& name : engines) {
    const auto row = absl::c_find_if(
        kEngines, [&](const NamedEngine& row) { return row.name == name; });
    at::globalContext().setQEngine(row->engine);
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
