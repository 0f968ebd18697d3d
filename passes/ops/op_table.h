// Facts about operators, one row per op: what is the same mathematical
// operation in another numeric flavour, and where an op keeps its weight.
#ifndef PASSES_OPS_OP_TABLE_H_
#define PASSES_OPS_OP_TABLE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// What an op computes with.
enum class Numerics {
  kFloat,    // floating-point tensors
  kInt8,     // quantized tensors in, quantized tensors out
  kDynamic,  // float in, float out, int8 inside
  kFp16,     // float in, float out, half-precision weights
  kEither,   // whatever it is given
};

// What an op is to matching.
enum class Role {
  kCompute,      // an operation that is matched and compared
  kShape,        // matched and compared, though it only moves data
  kTransparent,  // hands its data on and is not matched (view, to, contiguous)
  kQuantize,     // float to quantized; a comparison point of its own
  kDequantize,   // quantized to float
  kObserve,      // observers and fake quantization
  kSource,       // makes tensors from nothing (zeros, arange); not matched
};

// How an op holds its weights, at input `OpRow::weight_input`.
enum class WeightForm {
  kNone,
  kTensor,           // a float tensor
  kTensorPair,       // a recurrent cell's w_ih, and w_hh at the next input
  kTensorList,       // a recurrent layer's parameter list
  kPackedLinear,     // LinearPackedParamsBase
  kPackedConv,       // ConvPackedParamsBase<2 or 3>
  kPackedEmbedding,  // EmbeddingPackedParamsBase
  kPackedPair,       // a cell's two LinearPackedParamsBase, w_ih and w_hh
  kCellParamsList,   // a recurrent layer's list of CellParamsBase
};

struct OpRow {
  // Qualified name, "quantized::conv2d_relu". In-place forms have no row of
  // their own: FindOp drops the trailing underscore.
  absl::string_view op;
  // Ops of one family are related. Named after the op a user would write.
  absl::string_view family;
  Numerics numerics = Numerics::kFloat;
  Role role = Role::kCompute;
  // The family of the activation that the op applies last, or empty.
  absl::string_view fused_activation = "";
  WeightForm weight_form = WeightForm::kNone;
  int weight_input = -1;
  // What users call the outputs behind the first, "h_n c_n", where the op's
  // schema has no names for them. The first is its "output".
  absl::string_view other_outputs = "";
};

// All rows, sorted by op.
absl::Span<const OpRow> OpTable();

// The row of `op` or, for an in-place op without one, of its out-of-place form
// ("aten::relu" for "aten::relu_"). Null for an unknown op.
const OpRow* FindOp(absl::string_view op);

// True for int8, dynamic and fp16 ops and for quantize ops: those that only a
// quantized model has.
bool IsQuantizedOp(const OpRow& row);

// True for the ops of our own kernels, which lower-to-fbgemm puts in the place
// of quantized ones: "ns::fbgemm_conv2d".
bool IsLoweredOp(absl::string_view op);

}  // namespace ns

#endif  // PASSES_OPS_OP_TABLE_H_
