#include "passes/extraction/weight_extraction.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/subgraph_weights.h"

namespace ns {
namespace {

using NamedTensors = std::vector<NamedTensor>;

OpToWeightExtractionFn::const_iterator Find(
    const OpToWeightExtractionFn& functions, const torch::jit::Node& node) {
  const std::string op(OpName(node));
  const auto found = functions.find(op);
  if (found != functions.end() || !IsLeafCall(node)) {
    return found;
  }
  for (auto it = functions.begin(); it != functions.end(); ++it) {
    if (IsTypeNamed(op, it->first)) {
      return it;
    }
  }
  return functions.end();
}

}  // namespace

absl::StatusOr<NamedTensors> MatchedWeights(
    const Subgraph& subgraph, const ModelGraph& model,
    const OpToWeightExtractionFn& functions) {
  const auto function = Find(functions, *subgraph.base);
  if (function == functions.end()) {
    return SubgraphWeights(subgraph);
  }
  const std::string what =
      absl::StrCat("the weight extraction function of ", function->first);
  NS_ASSIGN_OR_RETURN(NamedTensors weights,
                      Annotated(what, CatchTorchErrors([&] {
                                  return function->second(*subgraph.base,
                                                          model);
                                })));
  for (const NamedTensor& weight : weights) {
    if (!weight.value.defined()) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " gave an undefined tensor '", weight.name,
                       "'; leave out what an op does not have"));
    }
  }
  return weights;
}

}  // namespace ns
