#include "passes/lowering/fold/quantized_forms.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/lowering/fold/quantized_behind.h"
#include "passes/lowering/fold/reference_layers.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

c10::Symbol OpSymbol(absl::string_view op) {
  return c10::Symbol::fromQualString(std::string(op));
}

absl::StatusOr<Value*> Insert(const FoldSite& site, absl::string_view op,
                              absl::Span<const NamedValue> arguments,
                              absl::Span<const NamedValue> named = {}) {
  return InsertOp(*site.node->owningGraph(), op, arguments, named);
}

// Returns the scale of the output as a number: a constant, or a value of the
// graph.
absl::StatusOr<NamedValue> Scale(const FoldSite& site) {
  if (site.output.scale.constant) {
    return NamedValue(*site.output.scale.constant);
  }
  Value* scale = site.output.scale.value;
  if (IsTensor(*scale)) {
    NS_ASSIGN_OR_RETURN(scale, Insert(site, "aten::Float", {scale}));
  }
  return NamedValue(scale);
}

// Does the same for the zero point.
absl::StatusOr<NamedValue> ZeroPoint(const FoldSite& site) {
  if (site.output.zero_point.constant) {
    return NamedValue(*site.output.zero_point.constant);
  }
  Value* zero_point = site.output.zero_point.value;
  if (IsTensor(*zero_point)) {
    NS_ASSIGN_OR_RETURN(zero_point, Insert(site, "aten::Int", {zero_point}));
  }
  return NamedValue(zero_point);
}

// Inserts `op` with `inputs`, followed by the scale and zero point of the
// output.
absl::StatusOr<Value*> InsertWithQParams(const FoldSite& site,
                                         absl::string_view op,
                                         std::vector<NamedValue> inputs) {
  NS_ASSIGN_OR_RETURN(NamedValue scale, Scale(site));
  NS_ASSIGN_OR_RETURN(NamedValue zero_point, ZeroPoint(site));
  inputs.push_back(std::move(scale));
  inputs.push_back(std::move(zero_point));
  return Insert(site, op, inputs);
}

// Returns the quantized tensor that `value`, an input, is dequantized from. A
// refusal when its dtype is not that of the output: kernels give their output
// the dtype of their input.
absl::StatusOr<Value*> QuantizedInput(const FoldSite& site,
                                      const Value& value) {
  Value* quantized = QuantizedBehind(site.facts, value);
  if (quantized == nullptr) {
    return Refusal("its input is not dequantized from known quantized values");
  }
  const c10::ScalarType type = site.facts.Sure(*quantized).qparams()->dtype;
  if (type != site.output.dtype) {
    return Refusal(absl::StrCat(
        "it takes quantized values of type ", c10::toString(type),
        " and its output is quantized to ", c10::toString(site.output.dtype)));
  }
  return quantized;
}

// Does the same as QuantizedInput for kernels that take quint8 only.
absl::StatusOr<Value*> UnsignedInput(const FoldSite& site, const Value& value) {
  NS_ASSIGN_OR_RETURN(Value * quantized, QuantizedInput(site, value));
  if (site.output.dtype != c10::kQUInt8) {
    return Refusal(absl::StrCat("it takes quantized values of type ",
                                c10::toString(site.output.dtype),
                                "; its kernel takes QUInt8"));
  }
  return quantized;
}

// Returns a tensor without dimensions that dequantizes to `number`, rounded to
// float, to the bit. A refusal when that is not finite or a denormal.
absl::StatusOr<at::Tensor> QuantizedNumber(double number,
                                           c10::ScalarType type) {
  const float rounded = static_cast<float>(number);
  if (!std::isfinite(rounded) ||
      (rounded != 0.0F &&
       std::fabs(rounded) < std::numeric_limits<float>::min())) {
    return Refusal("its operand has no scale: it is not finite or too small");
  }
  const double scale = rounded == 0.0F ? 1.0 : std::fabs(rounded);
  return CatchTorchErrors([&] {
    return at::quantize_per_tensor(at::scalar_tensor(rounded), scale,
                                   /*zero_point=*/1, type);
  });
}

// Returns an operand as a quantized tensor; it is a tensor or a constant
// number.
absl::StatusOr<Value*> Operand(const FoldSite& site, const Value& value) {
  const std::optional<double> number = NumberOf(value);
  if (!number && IsTensor(value)) {
    return QuantizedInput(site, value);
  }
  if (!number) {
    return Refusal("its operand is not constant");
  }
  NS_ASSIGN_OR_RETURN(const at::Tensor quantized,
                      QuantizedNumber(*number, site.output.dtype));
  return site.node->owningGraph()->insertConstant(quantized);
}

// Returns what the float op calls the argument `name` of the quantized op. Only
// batch norms have other names.
absl::string_view NameOnFloatSide(absl::string_view name) {
  if (name == "mean" || name == "var") {
    return name == "mean" ? "running_mean" : "running_var";
  }
  return name;
}

absl::StatusOr<Value*> InsertLayer(const FoldSite& site,
                                   const PackedLayer& layer, Value* quantized) {
  Value* packed = site.node->owningGraph()->insertConstant(layer.parameters);
  return InsertWithQParams(site, absl::StrCat("quantized::", layer.op, site.op),
                           {quantized, packed});
}

absl::StatusOr<Value*> InsertWithArguments(const FoldSite& site,
                                           absl::string_view op,
                                           Value* quantized) {
  const auto overloads = torch::jit::getAllOperatorsFor(OpSymbol(op));
  TORCH_INTERNAL_ASSERT(overloads.size() == 1);
  const auto& schema = overloads.front()->schema();
  std::vector<NamedValue> arguments = {quantized};
  std::vector<NamedValue> named;
  for (size_t i = 1; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (argument.name() == "output_scale") {
      NS_ASSIGN_OR_RETURN(NamedValue scale, Scale(site));
      arguments.push_back(std::move(scale));
    } else if (argument.name() == "output_zero_point") {
      NS_ASSIGN_OR_RETURN(NamedValue zero_point, ZeroPoint(site));
      arguments.push_back(std::move(zero_point));
    } else if (argument.name() == "inplace") {
      arguments.emplace_back(false);
    } else {
      Value* input = InputNamed(*site.node, NameOnFloatSide(argument.name()));
      if (input == nullptr) {
        return Refusal(absl::StrCat("it has no argument ", argument.name()));
      }
      if (argument.kwarg_only()) {
        named.emplace_back(argument.name(), input);
      } else {
        arguments.emplace_back(input);
      }
    }
  }
  return Insert(site, op, arguments, named);
}

}  // namespace

absl::StatusOr<Value*> InsertByName(const FoldSite& site) {
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      QuantizedInput(site, *site.node->input(0)));
  return InsertWithArguments(site, site.op, quantized);
}

absl::StatusOr<Value*> InsertNsKernel(const FoldSite& site) {
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      UnsignedInput(site, *site.node->input(0)));
  return InsertWithArguments(site, site.op, quantized);
}

absl::StatusOr<Value*> InsertGroupNorm(const FoldSite& site) {
  if (site.facts.Sure(*site.node->input(0)).least_rank >= 3) {
    NS_ASSIGN_OR_RETURN(Value * quantized,
                        QuantizedInput(site, *site.node->input(0)));
    // LibTorch 1.13 mixes up the samples of channels-last batches that have
    // more samples than a group has elements.
    NS_ASSIGN_OR_RETURN(quantized,
                        Insert(site, "aten::contiguous", {quantized}));
    return InsertWithArguments(site, site.op, quantized);
  }
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      UnsignedInput(site, *site.node->input(0)));
  return InsertWithArguments(site,
                             site.node->kind() == c10::aten::group_norm
                                 ? "ns::fbgemm_group_norm"
                                 : "ns::fbgemm_instance_norm",
                             quantized);
}

absl::StatusOr<Value*> InsertBinary(const FoldSite& site) {
  const bool number_first =
      NumberOf(*site.node->input(0)) || !IsTensor(*site.node->input(0));
  // Kernels give their output the layout of their first input.
  NS_ASSIGN_OR_RETURN(Value * first,
                      Operand(site, *site.node->input(number_first ? 1 : 0)));
  NS_ASSIGN_OR_RETURN(Value * second,
                      Operand(site, *site.node->input(number_first ? 0 : 1)));
  return InsertWithQParams(site, site.op, {first, second});
}

absl::StatusOr<Value*> InsertWithNumber(const FoldSite& site) {
  const std::optional<double> first = NumberOf(*site.node->input(0));
  const std::optional<double> number =
      first ? first : NumberOf(*site.node->input(1));
  if (!number) {
    return Refusal("its operand is not constant");
  }
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      QuantizedInput(site, *site.node->input(first ? 1 : 0)));
  return Insert(site, site.op, {quantized, *number});
}

absl::StatusOr<Value*> InsertList(const FoldSite& site) {
  const Value* list = site.node->input(0);
  if (list->node()->kind() != c10::prim::ListConstruct || IsWrittenTo(*list)) {
    return Refusal("only a run tells which tensors it takes");
  }
  std::vector<Value*> elements;
  for (const Value* element : list->node()->inputs()) {
    NS_ASSIGN_OR_RETURN(Value * quantized, QuantizedInput(site, *element));
    elements.push_back(quantized);
  }
  torch::jit::Graph& graph = *site.node->owningGraph();
  Node* quantized =
      graph.insertNode(graph.createList(c10::TensorType::get(), elements));
  return InsertWithQParams(site, site.op,
                           {quantized->output(), site.node->input(1)});
}

absl::StatusOr<Value*> InsertFixed(const FoldSite& site) {
  const QuantizedRange& fixed = *FixedRangeOf(*FindOp(OpName(*site.node)));
  if (site.output.scale.constant != fixed.scale ||
      site.output.zero_point.constant != fixed.zero_point) {
    return Refusal(absl::StrCat("its kernel gives quantized values with scale ",
                                fixed.scale, " and zero point ",
                                fixed.zero_point, " only"));
  }
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      UnsignedInput(site, *site.node->input(0)));
  return Insert(site, OpName(*site.node), {quantized});
}

absl::StatusOr<Value*> InsertSigmoid(const FoldSite& site) {
  absl::StatusOr<Value*> fixed = InsertFixed(site);
  const bool is_qnnpack = at::globalContext().qEngine() == at::QEngine::QNNPACK;
  return fixed.ok() || is_qnnpack ? fixed : InsertByName(site);
}

absl::StatusOr<Value*> InsertPackedLinear(const FoldSite& site) {
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      UnsignedInput(site, *site.node->input(0)));
  NS_ASSIGN_OR_RETURN(const PackedLayer layer, PackLinear(*site.node));
  return InsertLayer(site, layer, quantized);
}

absl::StatusOr<Value*> InsertPackedConv(const FoldSite& site) {
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      UnsignedInput(site, *site.node->input(0)));
  NS_ASSIGN_OR_RETURN(const PackedLayer layer, PackConv(*site.node));
  if (!site.op.empty() && absl::StrContains(layer.op, "transpose")) {
    return Refusal("transposed convolutions do not fuse a relu");
  }
  return InsertLayer(site, layer, quantized);
}

}  // namespace ns
