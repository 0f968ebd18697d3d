// The part of a model compiler that uses ns: a pipeline of three passes.
#ifndef LOWER_MODEL_H_
#define LOWER_MODEL_H_

#include "absl/status/statusor.h"
#include "nspasses/ir/graph/pass_context.h"
#include "nspasses/ir/model/model_graph.h"

namespace compiler {

// Makes ns kernels of the quantized ops of a reference quantized model, and
// returns whether anything changed. What stays in float, and why, is among the
// remarks of `context`. Error: one that names the pass.
absl::StatusOr<bool> LowerModel(ns::ModelGraph& model,
                                ns::PassContext& context);

}  // namespace compiler

#endif  // LOWER_MODEL_H_
