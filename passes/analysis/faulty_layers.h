// Finds layers that LibTorch computes wrongly here
// (passes/runtime/conv_faults.h).
#ifndef PASSES_ANALYSIS_FAULTY_LAYERS_H_
#define PASSES_ANALYSIS_FAULTY_LAYERS_H_

#include <string>
#include <vector>

#include "passes/runtime/conv_faults.h"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

struct FaultyLayer {
  // Its LayerName (ir/graph/node_view.h).
  std::string name;
  ConvFault fault = ConvFault::kNone;
};

// Returns the quantized convolutions of `graph`, also inside control flow, that
// have a fault in `environment`, in graph order. Layers on ns kernels have
// none, and layers whose packed weight is not a constant are not looked at.
std::vector<FaultyLayer> FaultyLayers(const torch::jit::Graph& graph,
                                      const ConvEnvironment& environment);

// Returns the fault that `node`, an op of a float model, would have in
// `environment` once it is quantized. kNone for other ops than convolutions,
// and for arguments that are not constant.
ConvFault FaultOnceQuantized(const torch::jit::Node& node,
                             const ConvEnvironment& environment);

// Returns a sentence for each kind of fault, which names the layers.
std::vector<std::string> DescribeFaults(const std::vector<FaultyLayer>& layers);

}  // namespace ns

#endif  // PASSES_ANALYSIS_FAULTY_LAYERS_H_
