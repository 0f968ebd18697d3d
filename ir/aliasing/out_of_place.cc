#include "ir/aliasing/out_of_place.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;

bool IsWritten(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// Whether the op writes to its first input, a tensor, and to nothing else.
bool WritesToFirstAlone(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  return schema != nullptr && node.outputs().size() == 1 &&
         !schema->arguments().empty() && IsWritten(schema->arguments()[0]) &&
         std::count_if(schema->arguments().begin(), schema->arguments().end(),
                       IsWritten) == 1 &&
         IsTensor(*node.input(0));
}

}  // namespace

Node* InsertOutOfPlace(Node* node) {
  const std::string op(OpName(*node));
  if (!absl::EndsWith(op, "_") || node->kind() == c10::aten::copy_ ||
      !WritesToFirstAlone(*node)) {
    return nullptr;
  }
  const c10::Symbol kind =
      c10::Symbol::fromQualString(std::string(absl::StripSuffix(op, "_")));
  if (torch::jit::getAllOperatorsFor(kind).empty()) {
    return nullptr;
  }
  Node* apart = node->owningGraph()->create(kind, node->inputs());
  apart->output()->setType(node->output()->type());
  apart->insertBefore(node)->copyMetadata(node);
  if (apart->maybeSchema() == nullptr || apart->schema().is_mutable()) {
    apart->destroy();
    return nullptr;
  }
  return apart;
}

}  // namespace ns
