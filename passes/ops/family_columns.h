// The words that rows of the table of ops (op_families.cc) are written in.
// Columns that a row does not name keep the defaults of op_families.h.
//
//   {"layer_norm",
//    {Float("aten::layer_norm").Folds(FoldForm::kByName),
//     Int8("quantized::layer_norm"),
//     Int8("ns::fbgemm_layer_norm")},
//    Facts().TensorWeight(2).Channels(ChannelPlace::kLast)
//        .Lowers(LoweringForm::kSameArguments).Rank(OutputRank::kAsInput)}
#ifndef PASSES_OPS_FAMILY_COLUMNS_H_
#define PASSES_OPS_FAMILY_COLUMNS_H_

#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace ns::family_columns {

// One op of a family. Each method returns a copy with one more column set.
struct Op : FamilyOp {
  constexpr Op(absl::string_view name, Numerics op_numerics,
               FinalActivation activation) {
    op = name;
    numerics = op_numerics;
    fused_activation = activation;
  }

  // How a float op is folded, and which of its calls can be.
  constexpr Op Folds(FoldForm form, CallGuard call = CallGuard::kNone) const {
    Op copy = *this;
    copy.fold = form;
    copy.guard = call;
    return copy;
  }

  // How an op is lowered, when that is not as the family's facts say. An op of
  // Numerics::kEither that is lowered always has this column.
  constexpr Op Lowers(LoweringForm form) const {
    Op copy = *this;
    copy.lowering = form;
    return copy;
  }

  // The float op that a quantized op computes, when that is not the family's
  // first float op.
  constexpr Op InFloat(absl::string_view name) const {
    Op copy = *this;
    copy.float_op = name;
    return copy;
  }

  // The input that holds the weight, where it is not the family's.
  constexpr Op WeightAt(int input) const {
    Op copy = *this;
    copy.weight_input = input;
    return copy;
  }

  // The releases of LibTorch that have the op, where not all do.
  constexpr Op In(Releases which) const {
    Op copy = *this;
    copy.releases = which;
    return copy;
  }

  // The columns of an embedding whose table is a plain tensor of bytes instead
  // of a packed object.
  constexpr Op TakesRawTable() const {
    Op copy = *this;
    copy.has_family_weight = false;
    copy.lowering = LoweringForm::kNoKernel;
    copy.reference = ReferenceForm::kRawTable;
    return copy;
  }
};

inline constexpr auto kRelu = FinalActivation::kRelu;
inline constexpr auto kClamp = FinalActivation::kHardtanh;
inline constexpr auto kLeakyRelu = FinalActivation::kLeakyRelu;
inline constexpr auto kTanh = FinalActivation::kTanh;

constexpr Op Float(absl::string_view op) {
  return {op, Numerics::kFloat, FinalActivation::kNone};
}
constexpr Op Either(absl::string_view op) {
  return {op, Numerics::kEither, FinalActivation::kNone};
}
constexpr Op Int8(absl::string_view op,
                  FinalActivation activation = FinalActivation::kNone) {
  return {op, Numerics::kInt8, activation};
}
constexpr Op Int8ToFloat(absl::string_view op,
                         FinalActivation activation = FinalActivation::kNone) {
  return {op, Numerics::kInt8ToFloat, activation};
}
constexpr Op Dynamic(absl::string_view op,
                     FinalActivation activation = FinalActivation::kNone) {
  return {op, Numerics::kDynamic, activation};
}
constexpr Op Fp16(absl::string_view op,
                  FinalActivation activation = FinalActivation::kNone) {
  return {op, Numerics::kFp16, activation};
}

inline constexpr QuantizedRange kUnitInterval = {QuantizedRange::Kind::kFixed,
                                                 1.0 / 256, 0};
inline constexpr QuantizedRange kMinusOneToOne = {QuantizedRange::Kind::kFixed,
                                                  2.0 / 256, 128};

// The facts of a family. Each method returns a copy with one more column set.
struct Facts : FamilyFacts {
  constexpr Facts() = default;
  constexpr explicit Facts(Role family_role) { role = family_role; }

  // Where the ops that take floats have their weight.
  constexpr Facts FloatWeight(WeightForm form, int input) const {
    Facts copy = *this;
    copy.float_weight = {form, input};
    return copy;
  }

  // Where the quantized, dynamic and fp16 ops have theirs.
  constexpr Facts QuantizedWeight(WeightForm form, int input) const {
    Facts copy = *this;
    copy.quantized_weight = {form, input};
    return copy;
  }

  // A weight that is a float tensor for all ops of the family.
  constexpr Facts TensorWeight(int input) const {
    return FloatWeight(WeightForm::kTensor, input)
        .QuantizedWeight(WeightForm::kTensor, input);
  }

  constexpr Facts WeightChannelDim(int dim) const {
    Facts copy = *this;
    copy.weight_channel_dim = dim;
    return copy;
  }

  constexpr Facts Range(QuantizedRange output_range) const {
    Facts copy = *this;
    copy.range = output_range;
    return copy;
  }

  constexpr Facts KeepsRange() const {
    return Range({QuantizedRange::Kind::kOfInput});
  }

  constexpr Facts Rank(OutputRank output_rank) const {
    Facts copy = *this;
    copy.rank = output_rank;
    return copy;
  }

  constexpr Facts Int8TakesRanks(int64_t least,
                                 int64_t most = ShapeLimits::kAny) const {
    Facts copy = *this;
    copy.int8_limits = {least, most};
    return copy;
  }

  constexpr Facts Channels(ChannelPlace place) const {
    Facts copy = *this;
    copy.channels = place;
    return copy;
  }

  constexpr Facts Fuses(Fusion what) const {
    Facts copy = *this;
    copy.fusion = what;
    return copy;
  }

  constexpr Facts IsActivation() const {
    Facts copy = *this;
    copy.is_activation = true;
    return copy;
  }

  constexpr Facts IsElementwise() const {
    Facts copy = *this;
    copy.is_elementwise = true;
    return copy;
  }

  constexpr Facts AmplifiesErrors() const {
    Facts copy = *this;
    copy.amplifies_errors = true;
    return copy;
  }

  constexpr Facts TakesShapeAlone() const {
    Facts copy = *this;
    copy.takes_shape_alone = true;
    return copy;
  }

  constexpr Facts Lowers(LoweringForm form) const {
    Facts copy = *this;
    copy.lowering = form;
    return copy;
  }

  constexpr Facts Reference(ReferenceForm form) const {
    Facts copy = *this;
    copy.reference = form;
    return copy;
  }

  constexpr Facts OtherOutputs(absl::string_view names) const {
    Facts copy = *this;
    copy.other_outputs = names;
    return copy;
  }
};

// The facts of families that matching does not treat as an operation.
constexpr Facts Shape() { return Facts(Role::kShape).KeepsRange(); }
constexpr Facts Transparent() { return Facts(Role::kTransparent).KeepsRange(); }
constexpr Facts Quantize() { return Facts(Role::kQuantize); }
constexpr Facts Dequantize() { return Facts(Role::kDequantize); }
constexpr Facts Observe() { return Facts(Role::kObserve); }
constexpr Facts Source() { return Facts(Role::kSource); }

}  // namespace ns::family_columns

#endif  // PASSES_OPS_FAMILY_COLUMNS_H_
