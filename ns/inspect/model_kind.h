// Tells what kind of model a module is.
#ifndef NS_INSPECT_MODEL_KIND_H_
#define NS_INSPECT_MODEL_KIND_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/statusor.h"

namespace ns {

enum class ModelKind {
  kFloat,
  kStatic,      // quantized ops whose scales are constants
  kDynamic,     // layers that quantize their inputs at each run
  kMixed,       // both
  kWeightOnly,  // float ops on weights of 8 or 16 bits
  kReference,   // quantize and dequantize around float ops
  kPrepared,    // observers or fake quantization: to be calibrated or trained
  kLowered,     // ops of ns kernels
};

// Returns "float", "static int8", "dynamic int8", "static and dynamic int8",
// "weight-only", "reference", "prepared" or "lowered".
const char* ModelKindName(ModelKind kind);

// Tells the kind by the graph of `method` as it is before freezing, which would
// dequantize weights. Error: that of ModelGraph::FromModule.
absl::StatusOr<ModelKind> KindOfModel(const torch::jit::Module& module,
                                      const std::string& method);

}  // namespace ns

#endif  // NS_INSPECT_MODEL_KIND_H_
