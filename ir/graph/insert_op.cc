#include "ir/graph/insert_op.h"

#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Says that no overload of `op` takes arguments of these types. The one line
// that OneLineMessage takes of LibTorch's own message would be the op's
// signature.
absl::Status NoOverload(absl::string_view op,
                        const std::vector<std::string>& types) {
  if (torch::jit::getAllOperatorsFor(
          c10::Symbol::fromQualString(std::string(op)))
          .empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no operator ", op));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(op, " does not take (", absl::StrJoin(types, ", "), ")"));
}

// Returns the types of `arguments` and `named`. Constants are made in `graph`
// for this, since LibTorch does not export NamedValue::type().
std::vector<std::string> TypesOf(Graph& graph,
                                 absl::Span<const NamedValue> arguments,
                                 absl::Span<const NamedValue> named) {
  std::vector<std::string> types;
  for (const NamedValue& argument : arguments) {
    types.push_back(argument.value(graph)->type()->annotation_str());
  }
  for (const NamedValue& argument : named) {
    types.push_back(
        absl::StrCat(argument.name(), ": ",
                     argument.value(graph)->type()->annotation_str()));
  }
  return types;
}

at::ArrayRef<NamedValue> ArrayOf(absl::Span<const NamedValue> values) {
  return at::ArrayRef<NamedValue>(values.data(), values.size());
}

}  // namespace

absl::StatusOr<Value*> InsertOp(Graph& graph, absl::string_view op,
                                absl::Span<const NamedValue> arguments,
                                absl::Span<const NamedValue> named) {
  return InsertOrTakeBack(*graph.insertPoint(), [&] {
    return CatchTorchErrors(op, [&]() -> absl::StatusOr<Value*> {
      try {
        return graph.insert(c10::Symbol::fromQualString(std::string(op)),
                            ArrayOf(arguments), ArrayOf(named));
      } catch (const torch::jit::ErrorReport&) {
        return NoOverload(op, TypesOf(graph, arguments, named));
      }
    });
  });
}

absl::StatusOr<Node*> InsertNode(Node* node) {
  if (node->maybeOperator() != nullptr) {
    return node->owningGraph()->insertNode(node);
  }
  std::vector<std::string> types;
  for (const Value* input : node->inputs()) {
    types.push_back(input->type()->annotation_str());
  }
  const absl::Status status = NoOverload(node->kind().toQualString(), types);
  node->destroy();
  return status;
}

void DestroyBetween(const Node& before, Node& place) {
  while (place.prev() != &before) {
    place.prev()->destroy();
  }
}

}  // namespace ns
