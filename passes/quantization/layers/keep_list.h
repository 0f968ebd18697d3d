// Layers that a user wants to keep in float.
#ifndef PASSES_QUANTIZATION_LAYERS_KEEP_LIST_H_
#define PASSES_QUANTIZATION_LAYERS_KEEP_LIST_H_

#include <string>

#include "passes/quantization/layers/float_subgraphs.h"

namespace ns {

// True when `entry` is for `subgraph`: its name or a glob of it ("layer1.*",
// where * stands for dots, too), its op ("aten::linear"), its family ("linear")
// or the type of its module, in full or its last parts ("Linear").
bool IsKeptBy(const FloatSubgraph& subgraph, const std::string& entry);

// Whether `entry` can only be the name of a layer, so that it is a mistake
// where a model has no such layer. A glob, an op, a family or the type of a
// module, whose last part begins with a capital, is for whatever a model has of
// it.
bool IsNameOfLayer(const std::string& entry);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_KEEP_LIST_H_
