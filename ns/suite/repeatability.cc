#include "ns/suite/repeatability.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/random_ops.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Returns "'noise' (aten::randn_like), aten::rand and 2 more".
std::string Listed(const std::vector<Node*>& nodes) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(nodes.size(), kMostNamed); ++i) {
    const std::string name = CallName(ModulePathOf(*nodes[i]));
    const absl::string_view op = OpName(*nodes[i]);
    names.push_back(name.empty() ? std::string(op)
                                 : absl::StrCat("'", name, "' (", op, ")"));
  }
  const size_t more = nodes.size() - names.size();
  return absl::StrCat(absl::StrJoin(names, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

void AddWarnings(absl::string_view name, const ModelGraph& model,
                 std::vector<std::string>& warnings) {
  std::vector<Node*> random = RandomOps(model.graph());
  const std::vector<Node*> training = TrainingOps(model.graph());
  // Dropout is both, and the way out is that of the other warning.
  random.erase(
      std::remove_if(random.begin(), random.end(),
                     [](Node* node) { return ComputesAsInTraining(*node); }),
      random.end());
  if (!random.empty()) {
    warnings.push_back(absl::StrCat(
        "the ", name, " model draws random numbers (", Listed(random),
        "); both models draw their own, so that what is computed from them "
        "differs by chance; make the random numbers an input"));
  }
  if (!training.empty()) {
    warnings.push_back(absl::StrCat(
        "the ", name, " model has ops that compute as in training (",
        Listed(training),
        "); call eval() before torch.jit.trace, and pass "
        "training=self.training to functions"));
  }
}

}  // namespace

std::vector<std::string> RepeatabilityWarnings(
    const ModelGraph& float_model, const ModelGraph& quantized_model) {
  std::vector<std::string> warnings;
  AddWarnings("float", float_model, warnings);
  AddWarnings("quantized", quantized_model, warnings);
  return warnings;
}

}  // namespace ns
