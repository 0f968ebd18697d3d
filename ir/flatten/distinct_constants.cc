#include "ir/flatten/distinct_constants.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "ir/graph/graph_walk.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// The number of elements that tell tensors apart. Two tensors that differ
// elsewhere only get the same hash, and passes compare them.
constexpr int64_t kSample = 1 << 16;

// Returns a hash that is the same for tensors for which at::equal holds.
size_t HashOf(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided || !tensor.device().is_cpu() ||
      tensor.is_complex()) {
    return 0;
  }
  const at::Tensor flat =
      (tensor.is_quantized() ? tensor.int_repr() : tensor).reshape({-1});
  const int64_t step = std::max<int64_t>(1, flat.numel() / kSample);
  at::Tensor sample = flat.slice(0, 0, c10::nullopt, step);
  if (sample.is_floating_point()) {
    // Adding zero makes 0.0 of -0.0, which equals it.
    sample = sample.to(at::kFloat).add(0.0);
  }
  sample = sample.contiguous();
  const absl::string_view bytes(static_cast<const char*>(sample.data_ptr()),
                                sample.nbytes());
  return absl::HashOf(tensor.scalar_type(), tensor.sizes().vec(), bytes);
}

// Returns a hash that is the same for equal constants; none if LibTorch has one
// itself, or if few constants differ.
std::optional<size_t> HashOf(const Node& constant) {
  const c10::optional<c10::IValue> value =
      torch::jit::toIValue(constant.output());
  if (!value) {
    return std::nullopt;
  }
  if (value->isTensor()) {
    return value->toTensor().defined()
               ? std::optional<size_t>(HashOf(value->toTensor()))
               : std::nullopt;
  }
  if (value->isString()) {
    return absl::HashOf(value->toStringRef());
  }
  if (value->isObject()) {
    return absl::HashOf(static_cast<const void*>(value->toObject().get()));
  }
  return std::nullopt;
}

}  // namespace

DistinctConstants::DistinctConstants(torch::jit::Graph& graph)
    : graph_(graph), own_inputs_(graph.inputs().size()) {
  absl::flat_hash_map<size_t, Value*> inputs;
  ForEachNode(graph.block(), [&](Node* node) {
    if (node->kind() != c10::prim::Constant) {
      return;
    }
    const std::optional<size_t> hash = HashOf(*node);
    if (!hash) {
      return;
    }
    const auto [input, is_new] = inputs.try_emplace(*hash, nullptr);
    if (is_new) {
      input->second = graph.addInput();
      input->second->setType(c10::IntType::get());
    }
    node->addInput(input->second);
  });
}

DistinctConstants::~DistinctConstants() {
  ForEachNode(graph_.block(), [](Node* node) {
    if (node->kind() == c10::prim::Constant) {
      node->removeAllInputs();
    }
  });
  while (graph_.inputs().size() > own_inputs_) {
    graph_.eraseInput(graph_.inputs().size() - 1);
  }
}

}  // namespace ns
