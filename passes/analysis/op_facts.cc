#include "passes/analysis/op_facts.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/output_scale.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

using DtypeFact = Fact<c10::ScalarType>;

bool IsEmbedding(const OpRow& row) {
  return row.family == "embedding" || row.family == "embedding_bag";
}

// True for layers with packed parameters, which take and give quint8 only.
bool IsPackedLayer(const OpRow& row) {
  return row.numerics == Numerics::kInt8 &&
         (row.weight_form == WeightForm::kPackedConv ||
          row.weight_form == WeightForm::kPackedLinear);
}

// True for the rows of float ops that LibTorch also runs on quantized tensors
// as they are.
bool RunsOnQuantizedToo(const OpRow& row) {
  return row.op == "aten::gelu" || row.op == "aten::masked_fill";
}

// True for the rows of ops that take several activations, all of one dtype.
bool IsOfSeveral(const OpRow& row) {
  return row.family == "add" || row.family == "mul" || row.family == "matmul" ||
         row.family == "cat";
}

bool HoldsTensors(const Value& value) {
  return IsTensor(value) || IsTensorList(value);
}

// Returns the first tensor, or list of tensors, that `node` takes; null when
// there is none.
const Value* FirstTensorInput(const Node& node) {
  const auto inputs = node.inputs();
  const auto* first = absl::c_find_if(
      inputs, [](const Value* input) { return HoldsTensors(*input); });
  return first == inputs.end() ? nullptr : *first;
}

// Returns the fact that the dtype is `dtype`, or unknown when that is absent.
DtypeFact DtypeOrUnknown(std::optional<c10::ScalarType> dtype) {
  return dtype ? DtypeFact(*dtype) : DtypeFact::Unknown();
}

TensorFacts WithQParams(TensorFacts facts, const Node& node, int scale) {
  facts.scale = Fact(KnownScale(*const_cast<Value*>(node.input(scale))));
  facts.zero_point =
      Fact(KnownZeroPoint(*const_cast<Value*>(node.input(scale + 1))));
  return facts;
}

// Returns the index of the first argument whose name contains "scale" and that
// has a zero point behind it; -1 when there is none.
int ScaleByName(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr) {
    return -1;
  }
  const auto& arguments = schema->arguments();
  for (size_t i = 0; i + 1 < arguments.size() && i + 1 < node.inputs().size();
       ++i) {
    if (absl::StrContains(arguments[i].name(), "scale") &&
        absl::StrContains(arguments[i + 1].name(), "zero_point")) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

TensorFacts FactsOfQuantize(const Node& node, const OpRow& row) {
  const DtypeFact dtype = IsLoweredOp(row.op)
                              ? DtypeFact(c10::kQUInt8)
                              : DtypeOrUnknown(ConstantDtype(node));
  if (node.kind() == c10::aten::quantize_per_channel) {
    return TensorFacts::PerChannel(dtype);
  }
  const TensorFacts facts = TensorFacts::PerTensor(dtype);
  const int scale = ScaleByName(node);
  // The tensors of a list have a scale each.
  return scale >= 0 && IsTensor(*node.input(0))
             ? WithQParams(facts, node, scale)
             : facts;
}

TensorFacts FactsOfCast(const Node& node, const TensorFacts& input) {
  const Value* dtype = InputNamed(node, "dtype");
  if (dtype == nullptr) {
    return InputNamed(node, "other") == nullptr ? input
                                                : TensorFacts::Unknown();
  }
  if (dtype->mustBeNone()) {
    return input;
  }
  const std::optional<c10::ScalarType> constant = ConstantDtype(node);
  if (!constant) {
    return TensorFacts::Unknown();
  }
  // A cast to a quantized type raises an error unless the tensor has that type
  // already.
  return c10::isQIntType(*constant) ? input
                                    : TensorFacts::Plain(DtypeFact(*constant));
}

// Returns the facts of a tensor after an aten::copy_ wrote to it.
TensorFacts FactsOfCopy(const Node& node, FactsOfInput facts_of) {
  const TensorFacts target = facts_of(*node.input(0));
  const bool is_of_floats = node.inputs().size() > 1 &&
                            IsTensor(*node.input(1)) &&
                            facts_of(*node.input(1)).is_quantized.Is(false);
  return is_of_floats || target.is_quantized.Is(false)
             ? target
             : target.WithoutQParams();
}

// Returns the dtype of an output that is not quantized because no input is:
// arithmetic keeps the floating-point type that all inputs have.
DtypeFact DtypeOfPlain(const Node& node, const OpRow& row,
                       FactsOfInput facts_of) {
  DtypeFact dtype;
  for (const Value* input : node.inputs()) {
    if (HoldsTensors(*input)) {
      dtype = dtype.Join(facts_of(*input).dtype);
    }
  }
  const Value* asked = InputNamed(node, "dtype");
  const bool keeps =
      dtype.known() != nullptr && (asked == nullptr || asked->mustBeNone()) &&
      (row.role != Role::kCompute || c10::isFloatingType(*dtype.known()));
  return keeps ? dtype : DtypeFact::Unknown();
}

// Returns the facts of an output of an op of Numerics::kEither.
TensorFacts FactsOfEither(const Node& node, const OpRow& row, size_t index,
                          FactsOfInput facts_of) {
  // Outputs behind the values are their indices.
  const bool gives_indices = row.family == "argmax" || row.family == "argmin" ||
                             (row.role == Role::kCompute && index > 0);
  if (gives_indices) {
    return TensorFacts::Plain();
  }
  const Value* input = FirstTensorInput(node);
  // One overload of aten::view reads the bits as another type.
  const bool is_of_another_type =
      row.family == "type_as" ||
      (node.kind() == c10::aten::view && InputNamed(node, "size") == nullptr);
  if (input == nullptr || is_of_another_type) {
    return TensorFacts::Unknown();
  }
  TensorFacts facts = facts_of(*input);
  if (facts.is_quantized.Is(false)) {
    return TensorFacts::Plain(DtypeOfPlain(node, row, facts_of));
  }
  // A single channel of a per-channel tensor has one scale.
  if ((row.family == "select" || row.family == "unbind") &&
      !facts.is_per_tensor.Is(true)) {
    facts.is_per_tensor = Fact<bool>::Unknown();
    facts = facts.WithoutQParams();
  }
  const QuantizedRange* fixed = FixedRangeOf(row);
  if (fixed == nullptr) {
    return facts;
  }
  if (!facts.is_quantized.Is(true) || !facts.dtype.Is(c10::kQUInt8)) {
    return facts.WithoutQParams();
  }
  return TensorFacts::PerTensor(
      PerTensorQParams{{fixed->scale}, {fixed->zero_point}, c10::kQUInt8});
}

// Returns the qparams that `node`, a sum or product with a number, gives its
// output: its kernel chooses them by those of its input alone. Absent where
// they are not constant, or no kernel takes them.
std::optional<PerTensorQParams> ChosenQParams(
    const Node& node, const std::optional<PerTensorQParams>& input) {
  if (!input || !input->scale.constant || !input->zero_point.constant ||
      node.inputs().size() != 2) {
    return std::nullopt;
  }
  const absl::StatusOr<PerTensorQParams> chosen = CatchTorchErrors([&] {
    torch::jit::Stack stack;
    for (const Value* value : node.inputs()) {
      const std::optional<c10::IValue> constant = ConstantOf(*value);
      stack.push_back(constant
                          ? *constant
                          : at::quantize_per_tensor(
                                at::zeros({1}), *input->scale.constant,
                                *input->zero_point.constant, input->dtype));
    }
    node.getOperation()(stack);
    const at::Tensor output = stack.front().toTensor();
    return PerTensorQParams{
        {output.q_scale()}, {output.q_zero_point()}, output.scalar_type()};
  });
  return chosen.ok() ? std::optional(*chosen) : std::nullopt;
}

// Returns the facts of an output of an op of Numerics::kInt8.
TensorFacts FactsOfInt8(const Node& node, const OpRow& row,
                        FactsOfInput facts_of) {
  if (IsEmbedding(row) || row.family == "int_repr") {
    return TensorFacts::Plain();
  }
  if (const Value* out = InputNamed(node, "out")) {
    return facts_of(*out);
  }
  const bool is_quint8 = IsPackedLayer(row) || IsLoweredOp(row.op);
  const Value* input = FirstTensorInput(node);
  TensorFacts facts =
      TensorFacts::PerTensor(is_quint8          ? DtypeFact(c10::kQUInt8)
                             : input == nullptr ? DtypeFact::Unknown()
                                                : facts_of(*input).dtype);
  const int scale = OutputScaleArgument(node);
  if (scale >= 0 && !node.input(scale)->mustBeNone()) {
    return OutputScaleInput(node) >= 0 ? WithQParams(facts, node, scale)
                                       : facts;
  }
  // The kernels of sums and products with a number choose the output's scale.
  const bool chooses = ChoosesQParams(node);
  if (chooses && input != nullptr) {
    const std::optional<PerTensorQParams> chosen =
        ChosenQParams(node, facts_of(*input).qparams());
    return chosen ? TensorFacts::PerTensor(*chosen) : facts;
  }
  if (input != nullptr) {
    facts.scale = facts_of(*input).scale;
    facts.zero_point = facts_of(*input).zero_point;
  }
  return facts;
}

// Returns the facts of the output of an op that the table does not have, and of
// which the user says that it has `numerics`.
TensorFacts FactsOfUserOp(const Node& node, Numerics numerics,
                          FactsOfInput facts_of) {
  const Value* input = FirstDataInput(node);
  if (numerics == Numerics::kEither) {
    return input == nullptr ? TensorFacts::Unknown() : facts_of(*input);
  }
  if (numerics != Numerics::kInt8) {
    return TensorFacts::Plain();
  }
  const TensorFacts facts = TensorFacts::PerTensor(
      input == nullptr ? DtypeFact::Unknown() : facts_of(*input).dtype);
  const int scale = ScaleByName(node);
  return scale >= 0 ? WithQParams(facts, node, scale) : facts;
}

TensorFacts FactsWithoutRank(const Node& node, size_t index,
                             FactsOfInput facts_of, const OpIoTypes& io_types) {
  const std::optional<Numerics> numerics = io_types.Find(node);
  if (!numerics) {
    return TensorFacts::Unknown();
  }
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return FactsOfUserOp(node, *numerics, facts_of);
  }
  switch (row->role) {
    case Role::kQuantize:
      return FactsOfQuantize(node, *row);
    case Role::kDequantize:
      return TensorFacts::Plain(DtypeFact(c10::kFloat));
    default:
      break;
  }
  if (node.kind() == c10::aten::to) {
    return FactsOfCast(node, facts_of(*node.input(0)));
  }
  if (row->family == "copy") {
    return FactsOfCopy(node, facts_of);
  }
  if (RunsOnQuantizedToo(*row)) {
    // The output's scale is that of the input, rounded to float.
    return FactsOfEither(node, *row, index, facts_of).WithoutQParams();
  }
  switch (row->numerics) {
    case Numerics::kEither:
      return FactsOfEither(node, *row, index, facts_of);
    case Numerics::kInt8:
      return FactsOfInt8(node, *row, facts_of);
    default:
      // aten::empty_like and similar ops make tensors like the one that they
      // are given, which may be quantized.
      return row->role == Role::kSource && FirstTensorInput(node) != nullptr
                 ? TensorFacts::Unknown()
                 : TensorFacts::Plain();
  }
}

}  // namespace

TensorFacts FactsOfOutput(const Node& node, size_t index, FactsOfInput facts_of,
                          const OpIoTypes& io_types) {
  TensorFacts facts = FactsWithoutRank(node, index, facts_of, io_types);
  facts.least_rank = LeastRankOfOutput(node, index, facts_of);
  return facts;
}

bool TakesQuantizedAlone(const Node& user, const Value& value,
                         const OpIoTypes& io_types) {
  const OpRow* row = FindOp(OpName(user));
  const std::optional<Numerics> numerics = io_types.Find(user);
  if (!numerics || !TakesInt8(*numerics) ||
      (row != nullptr && (row->role != Role::kCompute || IsEmbedding(*row)))) {
    return false;
  }
  return FirstDataInput(user) == &value ||
         (row != nullptr && IsOfSeveral(*row) &&
          absl::c_linear_search(DataInputs(user), &value));
}

WriteEffect EffectOfWrites(const Node& node) {
  const absl::string_view op = OpName(node);
  if (op == "aten::fill_" || op == "aten::zero_" || op == "quantized::relu6") {
    return WriteEffect::kNone;
  }
  const OpRow* row = FindOp(op);
  if (row == nullptr) {
    return WriteEffect::kAll;
  }
  if (row->family == "copy") {
    return WriteEffect::kQParams;
  }
  // The names of in-place forms end in an underscore. Other ops that write do
  // so to a given output, which they may resize.
  if (!absl::EndsWith(op, "_") || row->role != Role::kCompute) {
    return WriteEffect::kAll;
  }
  return FixedRangeOf(*row) != nullptr ? WriteEffect::kQParams
                                       : WriteEffect::kNone;
}

}  // namespace ns
