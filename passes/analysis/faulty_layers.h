// Finds layers that LibTorch computes wrongly here
// (passes/runtime/op_faults.h).
#ifndef PASSES_ANALYSIS_FAULTY_LAYERS_H_
#define PASSES_ANALYSIS_FAULTY_LAYERS_H_

#include <string>
#include <vector>

#include "passes/runtime/op_faults.h"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

struct FaultyLayer {
  // Its LayerName (ir/graph/node_view.h).
  std::string name;
  OpFault fault = OpFault::kNone;
};

// Returns the quantized ops of `graph`, also inside control flow, that have a
// fault in `environment`, in graph order. Layers on ns kernels have none.
// Convolutions whose packed weight is not a constant are not looked at, nor are
// clamps unless their input is what a quantized convolution gives, through ops
// that keep the order of its memory.
std::vector<FaultyLayer> FaultyLayers(const torch::jit::Graph& graph,
                                      const OpEnvironment& environment);

// Returns the fault that `node`, an op of a float model, would have in
// `environment` once it is quantized. kNone for other ops than convolutions,
// and for arguments that are not constant.
OpFault FaultOnceQuantized(const torch::jit::Node& node,
                           const OpEnvironment& environment);

// Returns a sentence for each kind of fault, which names the layers.
std::vector<std::string> DescribeFaults(const std::vector<FaultyLayer>& layers);

}  // namespace ns

#endif  // PASSES_ANALYSIS_FAULTY_LAYERS_H_
