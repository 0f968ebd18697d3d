#include "lower_model.h"

#include "drop_dropout.h"
#include "nspasses/ir/model/pipeline.h"
#include "nspasses/passes/lowering/fold/fold_reference_quantization.h"
#include "nspasses/passes/lowering/lower_to_fbgemm.h"

namespace compiler {

absl::StatusOr<bool> LowerModel(ns::ModelGraph& model,
                                ns::PassContext& context) {
  ns::Pipeline pipeline("lower-model");
  pipeline.Add<DropDropout>()
      .Add<ns::FoldReferenceQuantization>()
      .Add<ns::LowerToFbgemm>();
  return pipeline.Run(model, context);
}

}  // namespace compiler
