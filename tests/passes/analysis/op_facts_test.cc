// What ValueFacts is sure of, op by op: every aten op of the op table is called
// with quantized and with plain tensors, with all that it takes in default or
// plain arguments, and what it gives is looked at.
#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/torch.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "passes/analysis/value_facts.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Operator;
using ::torch::jit::Stack;

// What to give for an argument that has no default: by its type, `tensor` for
// tensors. Absent where there is nothing that fits.
std::optional<c10::IValue> ArgumentFor(const c10::Argument& argument,
                                       const at::Tensor& tensor) {
  if (argument.default_value()) {
    return *argument.default_value();
  }
  const c10::TypePtr& type = argument.type();
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return c10::IValue(tensor);
    case c10::TypeKind::IntType:
      return c10::IValue(1);
    case c10::TypeKind::FloatType:
      return c10::IValue(0.5);
    case c10::TypeKind::NumberType:
      return c10::IValue(0.5);
    case c10::TypeKind::BoolType:
      return c10::IValue(false);
    case c10::TypeKind::OptionalType:
      return c10::IValue();
    case c10::TypeKind::ListType: {
      const auto& element = type->containedTypes()[0];
      if (element->kind() == c10::TypeKind::TensorType) {
        return c10::IValue(std::vector<at::Tensor>{tensor, tensor});
      }
      if (element->kind() == c10::TypeKind::IntType) {
        return c10::IValue(
            std::vector<int64_t>(argument.N() ? *argument.N() : 1, 1));
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// Where the first output of `op`, of `tensor`, is not what is sure of it: why;
// empty otherwise. Absent where the op cannot be called like that.
std::optional<std::string> WrongOf(const Operator& op,
                                   const at::Tensor& tensor) {
  Graph graph;
  Stack stack;
  std::vector<torch::jit::Value*> inputs;
  for (const c10::Argument& argument : op.schema().arguments()) {
    const std::optional<c10::IValue> given =
        ArgumentFor(argument, tensor.clone());
    if (!given) {
      return std::nullopt;
    }
    stack.push_back(*given);
    // Only a constant tells how the tensors are made.
    const auto constant = torch::jit::tryInsertConstant(graph, *given);
    if (!constant) {
      return std::nullopt;
    }
    inputs.push_back(*constant);
  }
  const size_t outputs = op.schema().returns().size();
  torch::jit::Node* node = graph.insertNode(graph.create(
      c10::Symbol::fromQualString(op.schema().name()), inputs, outputs));
  for (size_t i = 0; i < outputs; ++i) {
    node->output(i)->setType(op.schema().returns()[i].type());
  }
  try {
    op.getOperation()(stack);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const ValueFacts facts(graph);
  for (size_t i = 0; i < outputs; ++i) {
    std::vector<at::Tensor> tensors;
    const c10::IValue& given = stack[stack.size() - outputs + i];
    if (given.isTensor() && given.toTensor().defined()) {
      tensors.push_back(given.toTensor());
    } else if (given.isTensorList()) {
      tensors = given.toTensorVector();
    }
    const TensorFacts sure = facts.Sure(*node->output(i));
    for (const at::Tensor& made : tensors) {
      if (sure.IsNever() || sure.is_quantized.Is(!made.is_quantized())) {
        return "quantized";
      }
      if (sure.dtype.known() && !sure.dtype.Is(made.scalar_type())) {
        return "dtype";
      }
      if (sure.least_rank > made.dim()) {
        return "rank";
      }
      if (const auto qparams = sure.qparams()) {
        if (qparams->scale.constant != made.q_scale() ||
            qparams->zero_point.constant != made.q_zero_point()) {
          return "qparams";
        }
      }
    }
  }
  return "";
}

TEST(OpFactsTest, AreTrueOfEveryOpThatCanBeCalled) {
  at::manual_seed(3);
  int calls = 0;
  std::set<std::string> of_quantized;
  for (const OpRow& row : OpTable()) {
    // Recurrent ones do not look at the shapes of what they are given.
    if (!absl::StartsWith(row.op, "aten::") ||
        row.weight_form == WeightForm::kTensorPair ||
        row.weight_form == WeightForm::kTensorList) {
      continue;
    }
    for (const char* suffix : {"", "_"}) {
      const std::string name = std::string(row.op) + suffix;
      for (const auto& op :
           torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name))) {
        if (op->schema().is_mutable() && *suffix == '\0') {
          // Of ops that write to an output that they are given, nothing is
          // said.
          continue;
        }
        for (const int64_t rank : {1, 2, 3, 4}) {
          const at::Tensor plain = at::randn(std::vector<int64_t>(rank, 2));
          for (const at::Tensor& tensor :
               {plain, at::quantize_per_tensor(plain, 0.02, 11, at::kQUInt8),
                at::quantize_per_tensor(plain, 0.02, 11, at::kQInt8)}) {
            const auto wrong = WrongOf(*op, tensor);
            calls += wrong ? 1 : 0;
            if (wrong && tensor.is_quantized()) {
              of_quantized.insert(std::string(row.op));
            }
            EXPECT_EQ(wrong.value_or(""), "")
                << op->schema() << " of " << tensor.scalar_type() << ", rank "
                << rank;
          }
        }
      }
    }
  }
  std::printf("%d calls; %zu ops on quantized tensors\n", calls,
              of_quantized.size());
  EXPECT_GT(calls, 2000);
  EXPECT_GT(of_quantized.size(), 60);
}

}  // namespace
}  // namespace ns
