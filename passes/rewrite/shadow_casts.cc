#include "passes/rewrite/shadow_casts.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/insert_op.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// What `value` is made from by an op that keeps its dtype; null for others.
const Value* Source(const Value& value, const OpIoTypes& io_types) {
  const Node* node = value.node();
  if (node->kind() == prim::Param) {
    // A loop's first values come from outside; slot 0 is the trip counter.
    const Node* loop = node->owningBlock()->owningNode();
    return loop != nullptr && loop->kind() == prim::Loop && value.offset() > 0
               ? loop->input(value.offset() + 1)
               : nullptr;
  }
  if (!node->blocks().empty()) {
    const size_t skipped = node->kind() == prim::Loop ? 1 : 0;
    return node->blocks()[0]->outputs()[value.offset() + skipped];
  }
  if (io_types.Find(*node).value_or(Numerics::kFloat) == Numerics::kFloat) {
    return nullptr;
  }
  const std::vector<Value*> inputs = DataInputs(*node);
  return inputs.empty() ? nullptr : inputs.front();
}

// Calls `decide` on `value` and on what it is made from, until it decides.
template <typename Result, typename Decide>
std::optional<Result> WalkBack(const Value& value, const OpIoTypes& io_types,
                               const Decide& decide) {
  constexpr int kMostSteps = 1000;
  const Value* current = &value;
  for (int step = 0; current != nullptr && step < kMostSteps; ++step) {
    if (std::optional<Result> result = decide(*current)) {
      return result;
    }
    current = Source(*current, io_types);
  }
  return std::nullopt;
}

std::optional<TensorNumerics> NumericsMadeBy(const Node& node,
                                             const OpIoTypes& io_types) {
  if (node.kind() == c10::aten::to) {
    const auto dtype = ConstantDtype(node);
    if (dtype) {
      return *dtype == at::kHalf ? TensorNumerics::kHalf
                                 : TensorNumerics::kFloat;
    }
    return std::nullopt;
  }
  const std::optional<Numerics> numerics = io_types.Find(node);
  if (!numerics) {
    return std::nullopt;
  }
  const OpRow* row = FindOp(OpName(node));
  switch (row == nullptr ? Role::kCompute : row->role) {
    case Role::kQuantize:
      return TensorNumerics::kInt8;
    case Role::kDequantize:
      return TensorNumerics::kFloat;
    default:
      break;
  }
  switch (*numerics) {
    case Numerics::kInt8:
      // Embeddings look up int8 rows and give them out in float.
      return row != nullptr && row->weight_form == WeightForm::kPackedEmbedding
                 ? TensorNumerics::kFloat
                 : TensorNumerics::kInt8;
    case Numerics::kEither:
      return std::nullopt;
    default:
      return TensorNumerics::kFloat;
  }
}

// The constant of the first input whose name ends in, or holds, `name`.
std::optional<c10::IValue> ConstantNamed(const Node& node,
                                         absl::string_view name) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr) {
    return std::nullopt;
  }
  const auto& arguments = schema->arguments();
  for (size_t i = 0; i < arguments.size() && i < node.inputs().size(); ++i) {
    if (absl::StrContains(arguments[i].name(), name)) {
      return ConstantOf(*node.input(i));
    }
  }
  return std::nullopt;
}

// Activations with a range of their own, whatever their input's.
std::optional<QuantizationParameters> FixedParameters(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  const QuantizedRange* range = row == nullptr ? nullptr : FixedRangeOf(*row);
  return range != nullptr
             ? std::make_optional(QuantizationParameters{
                   range->scale, range->zero_point, c10::ScalarType::QUInt8})
             : std::nullopt;
}

std::optional<QuantizationParameters> ParametersMadeBy(const Node& node) {
  const auto scale = ConstantNamed(node, "scale");
  const auto zero_point = ConstantNamed(node, "zero_point");
  if (!scale || !zero_point) {
    return FixedParameters(node);
  }
  QuantizationParameters parameters;
  const auto is_number = [](const c10::IValue& value) {
    return value.isDouble() || value.isInt() ||
           (value.isTensor() && value.toTensor().numel() == 1);
  };
  if (!is_number(*scale) || !is_number(*zero_point)) {
    return std::nullopt;
  }
  parameters.scale = scale->isTensor() ? scale->toTensor().item<double>()
                                       : scale->toScalar().toDouble();
  parameters.zero_point = zero_point->isTensor()
                              ? zero_point->toTensor().item<int64_t>()
                              : zero_point->toScalar().toLong();
  if (const auto dtype = ConstantDtype(node)) {
    parameters.dtype = *dtype;
  }
  return parameters;
}

const char* CastOp(TensorNumerics numerics) {
  switch (numerics) {
    case TensorNumerics::kHalf:
      return "ns::as_half";
    case TensorNumerics::kInt8:
      return "ns::as_quantized";
    case TensorNumerics::kFloat:
      break;
  }
  return "ns::as_float";
}

}  // namespace

TensorNumerics NumericsOf(const Value& value, const OpIoTypes& io_types) {
  const std::optional<TensorNumerics> made =
      WalkBack<TensorNumerics>(value, io_types, [&](const Value& source) {
        return NumericsMadeBy(*source.node(), io_types);
      });
  return made.value_or(IsTakenAsInt8(value, io_types) ? TensorNumerics::kInt8
                                                      : TensorNumerics::kFloat);
}

bool IsTakenAsInt8(const Value& value, const OpIoTypes& io_types) {
  return std::any_of(
      value.uses().begin(), value.uses().end(), [&](const auto& use) {
        const OpRow* row = FindOp(OpName(*use.user));
        return (row == nullptr || row->role == Role::kCompute) &&
               NumericsMadeBy(*use.user, io_types) == TensorNumerics::kInt8 &&
               FirstDataInput(*use.user) == &value;
      });
}

std::optional<QuantizationParameters> QuantizationParametersOf(
    const Value& value, const OpIoTypes& io_types) {
  return WalkBack<QuantizationParameters>(
      value, io_types,
      [](const Value& source) { return ParametersMadeBy(*source.node()); });
}

std::optional<QuantizationParameters> SureQuantizationParametersOf(
    const Value& value) {
  using Answer = std::optional<QuantizationParameters>;
  return WalkBack<Answer>(
             value, /*io_types=*/{},
             [](const Value& source) -> std::optional<Answer> {
               const Node& node = *source.node();
               if (node.kind() == prim::Param || !node.blocks().empty()) {
                 return Answer();
               }
               Answer made = ParametersMadeBy(node);
               return made ? std::optional<Answer>(made) : std::nullopt;
             })
      .value_or(std::nullopt);
}

absl::StatusOr<Value*> CastLike(const Value& original, Value* value,
                                Node* place, const OpIoTypes& io_types) {
  const TensorNumerics numerics = NumericsOf(original, io_types);
  std::vector<torch::jit::NamedValue> arguments = {value};
  if (numerics == TensorNumerics::kInt8) {
    const auto parameters = QuantizationParametersOf(original, io_types);
    if (!parameters) {
      return Refusal(absl::StrCat("the scale and zero point of its input %",
                                  original.debugName(), " are not constant"));
    }
    arguments.emplace_back(parameters->scale);
    arguments.emplace_back(parameters->zero_point);
    arguments.emplace_back(static_cast<int64_t>(parameters->dtype));
  }
  torch::jit::WithInsertPoint at(place);
  return InsertOp(*place->owningGraph(), CastOp(numerics), arguments);
}

}  // namespace ns
