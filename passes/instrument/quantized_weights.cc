#include "passes/instrument/quantized_weights.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/runtime/dtype_casts.h"

namespace ns {
namespace {

using Weights = std::vector<NamedTensor>;

bool HaveSameShapes(const Weights& a, const Weights& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].value.sizes() != b[i].value.sizes()) {
      return false;
    }
  }
  return true;
}

// The weights as float32 tensors without gradients. They are contiguous, which
// LibTorch's convolutions need of a batch without samples: some engines unpack
// weights with channels last.
std::vector<at::Tensor> InFloat(const Weights& weights) {
  std::vector<at::Tensor> values;
  for (const NamedTensor& weight : weights) {
    values.push_back(
        AsFloat(weight.value).detach().to(at::kFloat).contiguous());
  }
  return values;
}

bool AreEqual(const std::vector<at::Tensor>& a,
              const std::vector<at::Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].equal(b[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<std::vector<TensorReplacement>> QuantizedWeights(
    const SubgraphMatch& match) {
  std::vector<TensorReplacement> replacements;
  NS_ASSIGN_OR_RETURN(const Weights own, NodeWeights(*match.a.subgraph.base));
  NS_ASSIGN_OR_RETURN(const Weights folded, SubgraphWeights(match.a.subgraph));
  NS_ASSIGN_OR_RETURN(const Weights of_b, SubgraphWeights(match.b.subgraph));
  if (!HaveSameShapes(own, of_b)) {
    return replacements;
  }
  NS_ASSIGN_OR_RETURN(std::vector<at::Tensor> values,
                      CatchTorchErrors([&] { return InFloat(of_b); }));
  NS_ASSIGN_OR_RETURN(const bool are_equal, CatchTorchErrors([&] {
                        return AreEqual(values, InFloat(folded));
                      }));
  if (are_equal) {
    return replacements;
  }
  NS_ASSIGN_OR_RETURN(values,
                      UnfoldBatchNorms(match.a.subgraph, std::move(values)));
  for (size_t i = 0; i < own.size(); ++i) {
    replacements.push_back({own[i].value, values[i]});
  }
  return replacements;
}

}  // namespace ns
