// Lets a lowered model count, as it runs, which of its outputs saturate.
#ifndef PASSES_EMULATION_ADD_SATURATION_COUNTERS_H_
#define PASSES_EMULATION_ADD_SATURATION_COUNTERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/saturation_check.h"
#include "passes/runtime/fbgemm_ops/saturation_counter.h"

namespace ns {

struct CountedNode {
  torch::jit::Node* node = nullptr;
  SaturationCheck check;
  c10::intrusive_ptr<SaturationCounter> counter;
};

// Gives a counter to each layer on an ns kernel (FbgemmLayer) in the graph of
// `model`, inside prim::If and prim::Loop too:
//
//   %y = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
// becomes
//   %counter = prim::GetAttr[name="ns_saturation_0"](%self)
//   %none = prim::CallMethod[name="count"](%counter, %x, %layer, %false)
//   %y = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
//
// The last argument is the op's reduce_range, false for ops without one. The
// call runs the layer twice more. A layer that cannot saturate gets a call of
// count_outputs(%y) behind it instead, which costs next to nothing. The model
// computes what it did. Returns the layers in order of execution. Error: a
// counter that cannot be called (InsertMethodCall).
absl::StatusOr<std::vector<CountedNode>> AddSaturationCounters(
    ModelGraph& model);

}  // namespace ns

#endif  // PASSES_EMULATION_ADD_SATURATION_COUNTERS_H_
