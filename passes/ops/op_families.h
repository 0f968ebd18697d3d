// The table of ops: one row for each family, which is one mathematical
// operation in all the spellings and numerics that models have it in.
//
// All that the library knows of an op follows from the row of its family: which
// ops it is related to and fuses with (op_relations.h, fusion_patterns.h), how
// it computes in float (quantization/reference_ops.h), which quantized op it is
// folded to (lowering/fold/), and which ns kernel takes its place
// (lowering/lowered_ops.h). This folder cannot depend on those folders, so a
// row names their functions by the values of enums.
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
#include "passes/ops/shape_limits.h"

namespace ns {

// The kind of tensors that an op computes with.
enum class Numerics {
  kFloat,        // floating-point tensors
  kInt8,         // quantized tensors in, quantized tensors out
  kInt8ToFloat,  // quantized tensors in, float out
  kDynamic,      // float in, float out, int8 inside
  kFp16,         // float in, float out, half-precision weights
  kEither,       // whatever it is given
};

// How matching treats an op.
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
  kHardtanh,   // a clamp, whose bounds the op takes as its last arguments
  kLeakyRelu,  // whose slope the op takes as its last argument
  kTanh,
};

// The releases of LibTorch that have an op.
enum class Releases {
  kAll,
  kBefore2,
  kSince2,
};

// The quantized op that a float op is folded to when its inputs are dequantized
// and its output is quantized (lowering/fold/).
enum class FoldForm {
  kNone,  // it stays in float
  // The op itself, which LibTorch runs on quantized tensors and which keeps
  // their scale and zero point. kSameOpExactly: the op only moves or picks
  // elements, so that f(dequantize(q)) equals dequantize(f(q)) to the bit.
  // kSameOpRounding: f(q) is quantize(f(dequantize(q))), except for ties.
  kSameOpExactly,
  kSameOpRounding,
  // As kSameOpExactly, but by the family's ns kernel: LibTorch has none.
  kNsKernelExactly,
  // The family's int8 op: LibTorch's or, where it has none, the ns op. The
  // values say how the int8 op gets its arguments.
  kByName,        // its arguments have the same names
  kNsKernel,      // the same for an ns op, which takes quint8 only
  kGroupNorm,     // by name; the ns op where LibTorch's may raise
  kBinary,        // two tensors, or a tensor and a number
  kList,          // a list of tensors
  kPackedLinear,  // an activation and a packed weight
  kPackedConv,    // the same for a convolution
  // The op itself, whose output has the qparams of QuantizedRange::kFixed.
  // Where the output is quantized with others, kFixedRangeOrByName folds as
  // kByName.
  kFixedRange,
  kFixedRangeOrByName,
};

// What the arguments of a float op's call must satisfy for its FoldForm to
// apply (analysis/call_guards.h).
enum class CallGuard {
  kNone,             // all calls are folded
  kAddsUnscaled,     // alpha is 1
  kCountsPadding,    // an average pool divides by the size of its window
  kIsClamp,          // it has two bounds, which are numbers; not on qnnpack
  kEngineClamps,     // not on qnnpack, which clamps channels-last wrongly
  kDropsNothing,     // a dropout that is not in training
  kPadsQuantized,    // with zeros, or by reflection in rows and images
  kOverDimensions,   // a mean over given dimensions, of the input's type
  kIsReshape,        // a view to another size, not as another dtype
  kKeepsLayout,      // no memory format is asked for
  kKeepsDtype,       // no dtype is asked for
  kKnownStatistics,  // a batch norm in evaluation, with weight and bias
  kInputStatistics,  // an instance norm uses the statistics of its input
};

// How the ns kernel that takes the place of an op is given its arguments
// (lowering/lowering_forms.h), or why none takes its place.
enum class LoweringForm {
  kNoKernel,       // there is none
  kHalfWeight,     // its weight is float16
  kRecurrent,      // it is a recurrent layer
  kPerChannel,     // its values have a scale for each channel
  kSameArguments,  // the arguments of the op
  kTwoTensors,     // the same, when both operands are tensors
  kLinear,         // with the packed layer repacked
  kConv,           // the same
  kEmbedding,      // with the packed table repacked
  kEmbeddingBag,   // the same
  kQuantize,       // of a quantize to quint8
  kDequantize,     // of a dequantize of one tensor
  // These are for ops of Numerics::kEither, when their input is quantized:
  kOnQuantized,  // the arguments of the op
  kFixedRange,   // with the scale and zero point of QuantizedRange::kFixed
  kMean,         // the arguments that a mean of quantized tensors has
  kCat,          // the tensors and the dimension
  kRelu6,        // the arguments of a clamp from 0 to 6
};

// How a quantized op is computed in float (quantization/float_forms.h), or why
// it is not.
enum class ReferenceForm {
  // The first values say why an op is not computed in float:
  kOnlyQuantizes,  // it only quantizes or requantizes
  kHandsOn,        // it only hands its data on
  kRecurrent,      // it is a recurrent layer
  kLayerWithSum,   // it is a layer and a sum in one
  kRawTable,       // its table is a tensor of bytes
  // The others say which op computes it, and with which arguments:
  kSameOp,         // the op itself, out of place
  kSameArguments,  // the float op with the same arguments
  kCommutative,    // the same, with the tensor before a number
  // The float op with the arguments that quantization/float_forms.h describes:
  kBatchNorm,
  kInstanceNorm,
  kLinear,
  kConv,
  kConvTranspose,
  kEmbedding,
  kEmbeddingBag,
};

// Says which scale and zero point the output of a static int8 op has.
struct QuantizedRange {
  enum class Kind {
    kOwn,      // those that the op is given as arguments
    kOfInput,  // those of its input, in whose range its output is
    // `scale` and `zero_point`, which LibTorch's quint8 kernel of the float op
    // gives its output. An int8 op with a name of its own
    // ("quantized::sigmoid") is given them as arguments.
    kFixed,
  };
  Kind kind = Kind::kOwn;
  double scale = 0;
  int64_t zero_point = 0;
};

// The least number of dimensions that an output has.
enum class OutputRank {
  kUnknown,
  kAsInput,      // as many as the first input, or more
  kTwoOrMore,    // likewise, and two at least: a batch or channels
  kThreeOrMore,  // likewise, and three at least: an image
  // As kThreeOrMore for the int8 op, which takes batches only, and as
  // kTwoOrMore for others.
  kThreeInInt8,
};

// The dimension of an output that its channels are in.
enum class ChannelPlace {
  kByRank,      // the rank of the tensor tells (ChannelDim::kByRank)
  kSecond,      // dimension 1
  kLast,        // the last dimension
  kSecondLast,  // the one in front of the last: [C, L], in a batch or alone
  kThirdLast,   // likewise of [C, H, W]
  kFourthLast,  // likewise of [C, D, H, W]
};

// The ops that may follow an op in one fused subgraph.
enum class Fusion {
  kNone,
  kRelu,
  kBatchNormAndActivation,  // either, or both in this order
};

// One op of a family: one spelling of the operation.
struct FamilyOp {
  // Qualified name, "quantized::conv2d_relu". In-place forms have no row.
  absl::string_view op;
  Numerics numerics = Numerics::kFloat;
  FinalActivation fused_activation = FinalActivation::kNone;
  // How a float op is folded, and which calls of it can be.
  FoldForm fold = FoldForm::kNone;
  CallGuard guard = CallGuard::kNone;
  // How the op is lowered, and computed in float. Without a value, a quantized,
  // dynamic or fp16 op has the form of its family (FamilyFacts), and an op that
  // takes floats has none.
  std::optional<LoweringForm> lowering = std::nullopt;
  std::optional<ReferenceForm> reference = std::nullopt;
  // The float op that computes the same, when that is not the family's first
  // one. Empty otherwise.
  absl::string_view float_op = "";
  // False for a quantized op that does not hold the family's weight.
  bool has_family_weight = true;
  // The index of the input that holds the weight, where that is not the
  // family's; -1 otherwise.
  int weight_input = -1;
  Releases releases = Releases::kAll;
};

// Where an op has its weight.
struct WeightPlace {
  WeightForm form = WeightForm::kNone;
  // The index of the input that holds it; -1 for none.
  int input = -1;
};

// The facts that all ops of a family share.
struct FamilyFacts {
  Role role = Role::kCompute;
  // Where the weight is, in ops that take floats and in quantized, dynamic and
  // fp16 ones.
  WeightPlace float_weight;
  WeightPlace quantized_weight;
  // The dimension of the weight that counts output channels. When it is not the
  // first, the weight cannot be packed with a scale for each channel.
  int weight_channel_dim = 0;
  QuantizedRange range;
  OutputRank rank = OutputRank::kUnknown;
  // How many dimensions its int8 ops take, where float ones take others, too.
  // Convolutions take as many as their weight has.
  ShapeLimits int8_limits;
  ChannelPlace channels = ChannelPlace::kByRank;
  Fusion fusion = Fusion::kNone;
  // True for a family that computes element by element on one input, keeps its
  // shape, and may end a fused subgraph.
  bool is_activation = false;
  // True for a family that computes each element of its output from that of its
  // first input at the place, and maybe from those of others, as broadcasting
  // pairs them. Activations do so, too (IsElementwise in op_table.h). Not for
  // where: its first input chooses, and gives no values.
  bool is_elementwise = false;
  // True for a family that makes large errors of small ones in its first input:
  // near zero, they have no bound (log, rsqrt), or a small part of the value
  // may be a large one of a period (sin).
  bool amplifies_errors = false;
  // True for a family that makes a tensor of the shape of its first input, and
  // of none of its values: zeros_like.
  bool takes_shape_alone = false;
  // How its quantized, dynamic and fp16 ops are lowered, and computed in float.
  LoweringForm lowering = LoweringForm::kNoKernel;
  ReferenceForm reference = ReferenceForm::kSameArguments;
  // What users call the outputs behind the first, "h_n c_n", where the ops'
  // schemas have no names for them. The first is the "output".
  absl::string_view other_outputs = "";
};

// One row of the table.
struct OpFamily {
  static constexpr size_t kMostOps = 18;

  // The name of the op that a user would write, "conv2d".
  absl::string_view name;
  // The spellings. Entries behind the last one are empty: OpsOf leaves them
  // out.
  FamilyOp ops[kMostOps] = {};
  FamilyFacts facts = {};
};

// Returns all rows, sorted by name.
absl::Span<const OpFamily> OpFamilies();

// Returns the row of the family `name`. Null for another name, such as that of
// a family that a user added (op_relations.h).
const OpFamily* FindFamily(absl::string_view name);

// Returns the spellings of a family.
absl::Span<const FamilyOp> OpsOf(const OpFamily& family);

}  // namespace ns

#endif  // PASSES_OPS_OP_FAMILIES_H_
