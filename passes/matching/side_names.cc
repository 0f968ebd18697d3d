#include "passes/matching/side_names.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "ir/module_path.h"
#include "ir/node_view.h"

namespace ns {

using ::torch::jit::Value;

std::string SideNames::NameOfQuantized(const Value& source) const {
  const auto producer = name_of_output_.find(&source);
  if (producer != name_of_output_.end()) {
    return absl::StrCat(producer->second, ".quantize");
  }
  const torch::jit::Node& node = *source.node();
  return absl::StrCat(source.hasDebugName()
                          ? ValueName(source)
                          : NameOf(ModulePathOf(node), OpName(node)),
                      ".quantize");
}

std::string SideNames::Take(const std::string& name, const Value* output) {
  std::string unique = unique_.Take(name);
  if (output != nullptr) {
    name_of_output_[output] = unique;
  }
  return unique;
}

}  // namespace ns
