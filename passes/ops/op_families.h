// The table of ops: one row for each family, which is one mathematical
// operation in all the spellings and numerics that models have it in.
//
// What the library knows of an op follows from the row of its family: what it
// is related to and fuses with (op_relations.h, fusion_patterns.h), how it
// computes in float (quantization/reference_ops.h), what becomes of it in
// quantized models (lowering/fold/), and which ns kernel takes its place
// (lowering/lowered_ops.h). This folder is below those, so that a row tells
// by an enum which of their functions does it.
//
// op_families.cc has the rows, and says how to add one. Ops are looked up by
// name in op_table.h.
#ifndef PASSES_OPS_OP_FAMILIES_H_
#define PASSES_OPS_OP_FAMILIES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

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

// How an op holds its weights.
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

// The activation that an op applies last.
enum class FinalActivation {
  kNone,
  kRelu,
  kHardtanh,  // a clamp, whose bounds the op takes as its last arguments
};

// What a float op becomes where its inputs are dequantized and its output is
// quantized (lowering/fold/).
enum class FoldForm {
  kNone,  // it stays in float
  // The op itself, which LibTorch runs on quantized values and which keeps
  // their scale and zero point. Exactly: it moves or picks elements, and
  // f(dequantize(q)) is dequantize(f(q)) to the bit. Rounding: f(q) is
  // quantize(f(dequantize(q))), but for ties.
  kSameOpExactly,
  kSameOpRounding,
  // As kSameOpExactly, by the family's ns kernel: LibTorch has no kernel.
  kNsKernelExactly,
  // The family's int8 op, LibTorch's where it has one:
  kByName,        // whose arguments have the same names
  kNsKernel,      // which is an ns kernel, for quint8 alone
  kGroupNorm,     // or its ns kernel, where LibTorch's may raise
  kBinary,        // of two tensors, or a tensor and a number
  kList,          // of a list of tensors
  kPackedLinear,  // with a packed weight
  kPackedConv,
  // The op itself, which gives QuantizedRange::kFixed; or else as kByName.
  kFixedRange,
  kFixedRangeOrByName,
};

// What must hold of the call of a float op for its FoldForm to apply
// (lowering/fold/call_guards.h).
enum class CallGuard {
  kNone,
  kAddsUnscaled,     // alpha is 1
  kCountsPadding,    // an average pool divides by the size of its window
  kIsClamp,          // two bounds, which are numbers; not on qnnpack
  kEngineClamps,     // not on qnnpack, which clamps channels-last wrongly
  kDropsNothing,     // it does not train
  kPadsWithZero,     // the value that it pads with
  kOverDimensions,   // a mean over given dimensions, of the input's type
  kIsReshape,        // a view of another size, not of another dtype
  kKeepsLayout,      // no memory format is asked for
  kKeepsDtype,       // no dtype is asked for
  kKnownStatistics,  // a batch norm in evaluation, with weight and bias
  kInputStatistics,  // an instance norm of the statistics of its input
};

// How the ns kernel that takes the place of an op is given its arguments
// (lowering/lowering_forms.h), or why none takes its place.
enum class LoweringForm {
  kNoKernel,    // there is none
  kHalfWeight,  // its weight is float16
  kRecurrent,   // it is a recurrent layer
  kPerChannel,  // its values have a scale for each channel
  kSameArguments,
  kTwoTensors,  // the same, where both operands are tensors
  kLinear,      // with the packed layer repacked
  kConv,
  kEmbedding,  // with the packed table repacked
  kEmbeddingBag,
  kQuantize,
  kDequantize,
  // Of ops of Numerics::kEither, where their input is quantized:
  kOnQuantized,  // the same arguments
  kFixedRange,   // with the scale and zero point of QuantizedRange::kFixed
  kMean,
  kCat,
  kRelu6,  // a clamp from 0 to 6
};

// How a quantized op is computed in float (quantization/float_forms.h), or why
// it is not.
enum class ReferenceForm {
  kOnlyQuantizes,
  kHandsOn,      // it only hands its data on
  kRecurrent,    // it is a recurrent layer
  kConvWithSum,  // it is two ops
  kRawTable,     // its table is a tensor of bytes
  kSameOp,       // by the op itself, out of place
  kSameArguments,
  kCommutative,  // the same, the tensor before a number
  kBatchNorm,
  kInstanceNorm,
  kLinear,
  kConv,
  kConvTranspose,
  kEmbedding,
  kEmbeddingBag,
};

// Which scale and zero point the output of a static int8 op has.
struct QuantizedRange {
  enum class Kind {
    kOwn,      // those that it is given
    kOfInput,  // those of its input: what it gives is in the range of that
    // `scale` and `zero_point`, of LibTorch's kernel for quint8. An int8 op
    // with a name of its own ("quantized::sigmoid") is given others.
    kFixed,
  };
  Kind kind = Kind::kOwn;
  double scale = 0;
  int64_t zero_point = 0;
};

// How many dimensions an output has at least.
enum class OutputRank {
  kUnknown,
  kAsInput,      // as many as the first input, or more
  kTwoOrMore,    // likewise, and two at least: a batch or channels
  kThreeOrMore,  // likewise, and three at least: an image
  // As kThreeOrMore for the int8 op, which takes batches only, and as
  // kTwoOrMore for others.
  kThreeInInt8,
};

// Which dimension of an output has its channels.
enum class ChannelPlace {
  kByRank,  // the rank of the tensor tells (ChannelDim::kByRank)
  kSecond,
  kLast,
};

// What may follow an op in one fused subgraph.
enum class Fusion {
  kNone,
  kRelu,
  kBatchNormAndActivation,  // either, or both in this order
};

// One op of a family: its row in the list of spellings.
struct FamilyOp {
  // Qualified name, "quantized::conv2d_relu". In-place forms have no row.
  absl::string_view op;
  Numerics numerics = Numerics::kFloat;
  FinalActivation fused_activation = FinalActivation::kNone;
  FoldForm fold = FoldForm::kNone;
  CallGuard guard = CallGuard::kNone;
  // Where they are not the family's. Only these tell of an op that takes
  // floats.
  std::optional<LoweringForm> lowering = std::nullopt;
  std::optional<ReferenceForm> reference = std::nullopt;
  // The float op that computes the same, where it is not the family's first.
  absl::string_view float_op = "";
  // False for a quantized op that does not hold the family's weight.
  bool has_family_weight = true;
};

struct WeightPlace {
  WeightForm form = WeightForm::kNone;
  // The index of the input that holds it; -1 for none.
  int input = -1;
};

// What holds of all ops of a family.
struct FamilyFacts {
  Role role = Role::kCompute;
  // Of ops that take floats, and of quantized, dynamic and fp16 ones.
  WeightPlace float_weight;
  WeightPlace quantized_weight;
  // The dimension of the weight that belongs to output channels. Weights with
  // another one than the first cannot be packed with a scale for each channel.
  int weight_channel_dim = 0;
  QuantizedRange range;
  OutputRank rank = OutputRank::kUnknown;
  ChannelPlace channels = ChannelPlace::kByRank;
  Fusion fusion = Fusion::kNone;
  // True for what computes element by element on one input, keeps its shape,
  // and may end a fused subgraph.
  bool is_activation = false;
  // Of its ops that are quantized, dynamic or fp16.
  LoweringForm lowering = LoweringForm::kNoKernel;
  ReferenceForm reference = ReferenceForm::kSameArguments;
  // What users call the outputs behind the first, "h_n c_n", where the ops'
  // schemas have no names for them. The first is the "output".
  absl::string_view other_outputs = "";
};

struct OpFamily {
  static constexpr size_t kMostOps = 16;

  // Named after the op that a user would write, "conv2d".
  absl::string_view name;
  // Those after the last one are empty: OpsOf leaves them out.
  FamilyOp ops[kMostOps] = {};
  FamilyFacts facts = {};
};

// All rows, sorted by name.
absl::Span<const OpFamily> OpFamilies();

// The row of `name`, or null: op_relations.h has families of the user's, too.
const OpFamily* FindFamily(absl::string_view name);

// The spellings of a family.
absl::Span<const FamilyOp> OpsOf(const OpFamily& family);

}  // namespace ns

#endif  // PASSES_OPS_OP_FAMILIES_H_
