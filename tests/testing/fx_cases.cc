#include "tests/testing/fx_cases.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/files/module_file.h"
#include "ns/batches/batches.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

std::string PathOf(const std::string& name, const std::string& file) {
  return absl::StrCat("tests/models/fx_cases/", name, "/", file, ".pt");
}

}  // namespace

torch::jit::Module FxModule(const std::string& name, const std::string& stage) {
  return OrThrow(LoadModule(PathOf(name, stage)));
}

ModelGraph FxModel(const std::string& name, const std::string& stage) {
  return OrThrow(ModelGraph::FromModule(FxModule(name, stage)));
}

std::vector<c10::IValue> FxInputs(const std::string& name) {
  return OrThrow(LoadBatches(PathOf(name, "inputs"))).at(0).arguments;
}

}  // namespace ns
