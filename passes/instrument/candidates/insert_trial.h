// Computes beside a layer what one way to quantize it would cost.
#ifndef PASSES_INSTRUMENT_CANDIDATES_INSERT_TRIAL_H_
#define PASSES_INSTRUMENT_CANDIDATES_INSERT_TRIAL_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/pair/attached_comparer.h"
#include "passes/instrument/variants/rounding.h"
#include "passes/quantization/layers/float_subgraphs.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// One way to quantize a layer.
struct LayerTrial {
  // The index of the layer in PreparedModel::layers.
  int64_t layer = 0;
  // How its input is rounded; absent to leave that in float.
  std::optional<GridRounding> input;
  // What stands in the place of its weight, of the same shape. It may be
  // quantized: the layer then takes it dequantized, as a constant of 8 bits
  // that each run dequantizes. Undefined for the weight itself.
  at::Tensor weight;
  // Measures the error of the rounded input instead of that of the output.
  // `weight` does not count then.
  bool of_input = false;
};

// Inserts trials into a float model. Layers keep what they compute, so that all
// trials see the same float values.
class TrialInserter {
 public:
  // `layers` maps the indices of layers to their base ops in `model`, which
  // must outlive the object.
  TrialInserter(ModelGraph& model,
                const std::map<int64_t, torch::jit::Node*>& layers);

  // Inserts the variant of the layer that `trial` describes, with the relu that
  // its int8 op would include, and compares it with the layer:
  //
  //   %y = aten::linear(%x, %weight, %bias)
  // becomes
  //   %rounded = ...                          # of %x, shared by all trials
  //   %y = aten::linear(%x, %weight, %bias)
  //   %variant = aten::linear(%rounded, <trial.weight>, %bias)
  //   self.ns_comparer_0.compare(%y, %variant)
  //
  // Error: a refusal (ir/base/refusal.h) for what is not a layer with a
  // quantized weight, has several inputs, or cannot be copied.
  absl::Status Insert(const LayerTrial& trial, AttachedComparer& comparer);

 private:
  absl::StatusOr<torch::jit::Value*> Rounded(torch::jit::Value* value,
                                             const GridRounding& rounding);

  ModelGraph& model_;
  // By index of the layer.
  std::map<int64_t, FloatSubgraph> subgraphs_;
  // Values, the way in which they were rounded, and the results.
  struct RoundedValue {
    torch::jit::Value* value;
    GridRounding rounding;
    torch::jit::Value* rounded;
  };
  std::vector<RoundedValue> rounded_;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_CANDIDATES_INSERT_TRIAL_H_
