// Follows the channels of a value through ops that commute with multiplying
// each channel by a positive factor of its own.
#ifndef PASSES_QUANTIZATION_RESCALE_CHANNEL_FLOW_H_
#define PASSES_QUANTIZATION_RESCALE_CHANNEL_FLOW_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Use;
struct Value;
}  // namespace torch::jit

namespace ns {

// A value, and which of its elements belong to which channel.
struct ChannelFlow {
  torch::jit::Value* value = nullptr;
  // The dimension of channels, counted from the last one, which is 1.
  int64_t dim = 1;
  int64_t channels = 0;
  // Whether each channel is a block of features that follow each other in this
  // dimension, as behind flattening an image. Their number is that of the
  // inputs of the layer that takes them, divided by `channels`.
  bool is_flattened = false;
};

// Returns what reads elements of `value`; ops that ask for its shape or type
// alone are left out. Error: a refusal (ir/base/refusal.h) where something
// outside of its block reads it, its block returns it, or a tuple or list holds
// it.
absl::StatusOr<std::vector<torch::jit::Use>> ReadersOf(
    const torch::jit::Value& value);

// Returns the only one of ReadersOf. Error: that of ReadersOf, or a refusal
// where there are none or several.
absl::StatusOr<torch::jit::Use> OnlyReaderOf(const torch::jit::Value& value);

// Tells past which ops factors can be moved: f(x * s) = f(x) * s.
class ChannelFactors {
 public:
  // `graph` must outlive the object.
  explicit ChannelFactors(const torch::jit::Graph& graph) : facts_(graph) {}

  // Returns the flow behind `reader`, which reads flow.value: its value is what
  // the op of `reader` returns. These let factors pass: relu, leaky_relu and
  // prelu; dropout in evaluation, and copies; pools, resizing and zero padding
  // over space; means over space; flattening an image; and, where the channels
  // are the last dimension, reshapes that keep it and ops that only pick or
  // reorder along the others.
  //
  // Where flattening names dimensions from the front (flatten(1),
  // view(x.size(0), -1)), an image is taken to have a batch: batch, channels,
  // space. Error: a refusal for any other op, "aten::gelu stands between".
  absl::StatusOr<ChannelFlow> Past(const ChannelFlow& flow,
                                   const torch::jit::Use& reader) const;

 private:
  const ValueFacts facts_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RESCALE_CHANNEL_FLOW_H_
