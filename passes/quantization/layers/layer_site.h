// A float layer that is to be quantized, and what quantizing it needs.
#ifndef PASSES_QUANTIZATION_LAYERS_LAYER_SITE_H_
#define PASSES_QUANTIZATION_LAYERS_LAYER_SITE_H_

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "ir/graph/insert_op.h"
#include "passes/quantization/layers/shared_constants.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

struct LayerSite {
  // The float op, and its family (passes/ops/op_table.h).
  torch::jit::Node* node;
  absl::string_view family;
  // How its weights are quantized.
  const ObserverSpec& weight;
  // Whether the op that takes its place computes a relu, too.
  bool with_relu = false;
  // Whether dynamic activations take 7 bits instead of 8.
  bool reduce_range = true;
  SharedConstants& constants;
};

// Runs `insert` with the insertion point in front of the layer, and returns
// what it returns, an absl::StatusOr. What it inserts there gets the layer's
// module path and source line, and is removed again after an error. It must not
// call site.constants.Get: an error could remove the new constant, too.
template <typename Insert>
auto InsertFor(const LayerSite& site, const Insert& insert) {
  const torch::jit::Node* before = site.node->prev();
  auto inserted = InsertOrTakeBack(*site.node, insert);
  for (torch::jit::Node* node = site.node->prev(); node != before;
       node = node->prev()) {
    node->copyMetadata(site.node);
  }
  return inserted;
}

// Returns the index of the input for the argument `name`, which the op of
// `node` must have.
size_t ArgumentIndex(const torch::jit::Node& node, absl::string_view name);

// Returns the name for a constant that is made from `value`: its name and
// `suffix`, "fc.weight.packed". Empty when `value` has no name.
std::string NameFor(const torch::jit::Value& value, absl::string_view suffix);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_LAYER_SITE_H_
