#include "ir/graph/verify_node.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

namespace attr = ::c10::attr;
namespace prim = ::c10::prim;
using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

absl::Status Broken(absl::string_view why) { return absl::InternalError(why); }

template <typename Type>
bool Is(const Value& value) {
  return value.type()->kind() == Type::Kind;
}

absl::Status VerifyIf(const Node& node) {
  if (!Is<c10::BoolType>(*node.input(0))) {
    return Broken("needs a bool");
  }
  for (const Block* block : node.blocks()) {
    if (!block->inputs().empty() ||
        block->outputs().size() != node.outputs().size()) {
      return Broken("needs two blocks with as many outputs as it has");
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyLoop(const Node& node) {
  if (!Is<c10::IntType>(*node.input(0)) || !Is<c10::BoolType>(*node.input(1))) {
    return Broken("needs a number of rounds and a condition");
  }
  const size_t carried = node.inputs().size() - 2;
  const Block& body = *node.blocks()[0];
  if (node.outputs().size() != carried || body.inputs().size() != carried + 1 ||
      body.outputs().size() != carried + 1) {
    return Broken(
        "needs a block that takes and returns as many values as it carries, "
        "and one more");
  }
  return absl::OkStatus();
}

absl::Status VerifyConstant(const Node& node) {
  const absl::Status value =
      CatchTorchErrors([&] { (void)torch::jit::toIValue(node.output()); });
  return value.ok() ? value : Broken("has no value of its type");
}

absl::Status VerifyTupleConstruct(const Node& node) {
  const auto tuple = node.output()->type()->cast<c10::TupleType>();
  return tuple && tuple->elements().size() == node.inputs().size()
             ? absl::OkStatus()
             : Broken("needs an output that is a tuple of its inputs");
}

absl::Status VerifyTupleUnpack(const Node& node) {
  const auto tuple = node.input()->type()->cast<c10::TupleType>();
  if (!tuple) {
    return Broken("needs a tuple");
  }
  const size_t count = tuple->elements().size();
  return count == node.outputs().size()
             ? absl::OkStatus()
             : Broken(absl::StrCat("unpacks ", count, " values into ",
                                   node.outputs().size()));
}

absl::Status VerifyTakesTuple(const Node& node) {
  return Is<c10::TupleType>(*node.input(0)) ? absl::OkStatus()
                                            : Broken("needs a tuple");
}

absl::Status VerifyListConstruct(const Node& node) {
  return Is<c10::ListType>(*node.output())
             ? absl::OkStatus()
             : Broken("needs an output that is a list");
}

absl::Status VerifyListUnpack(const Node& node) {
  return Is<c10::ListType>(*node.input()) ? absl::OkStatus()
                                          : Broken("needs a list");
}

absl::Status VerifyDictConstruct(const Node& node) {
  if (node.inputs().size() % 2 != 0) {
    return Broken("needs a value for each key");
  }
  return Is<c10::DictType>(*node.output())
             ? absl::OkStatus()
             : Broken("needs an output that is a dict");
}

absl::Status VerifyAttribute(const Node& node) {
  const auto type = node.input(0)->type()->cast<c10::ClassType>();
  if (!type || !type->hasAttribute(node.s(attr::name))) {
    return Broken("needs an object with the attribute that it names");
  }
  return absl::OkStatus();
}

absl::Status VerifyCallMethod(const Node& node) {
  const auto type = node.input(0)->type()->cast<c10::ClassType>();
  const bool has_method = type ? type->findMethod(node.s(attr::name)) != nullptr
                               : Is<c10::InterfaceType>(*node.input(0));
  return has_method ? absl::OkStatus()
                    : Broken("needs an object with the method that it names");
}

absl::Status VerifyCallFunction(const Node& node) {
  return Is<c10::FunctionType>(*node.input(0))
             ? absl::OkStatus()
             : Broken("needs a function as its first input");
}

absl::Status VerifyCreateObject(const Node& node) {
  return Is<c10::ClassType>(*node.output())
             ? absl::OkStatus()
             : Broken("needs an output that is an object");
}

absl::Status VerifyNothing(const Node& /*node*/) { return absl::OkStatus(); }

constexpr int64_t kAny = -1;

// What LibTorch's interpreter runs without an operator.
struct Kind {
  c10::Symbol kind;
  int64_t blocks;
  int64_t least_inputs;
  int64_t most_inputs;
  int64_t outputs;
  // An attribute that it must have; none for an empty symbol.
  c10::Symbol attribute;
  // What else holds where the numbers are right.
  absl::Status (*verify)(const Node& node);
};

const Kind* FindKind(const Node& node) {
  static const c10::Symbol kNone;
  static const Kind kKinds[] = {
      {prim::CallFunction, 0, 1, kAny, 1, kNone, VerifyCallFunction},
      {prim::CallMethod, 0, 1, kAny, 1, attr::name, VerifyCallMethod},
      {prim::Constant, 0, 0, 0, 1, kNone, VerifyConstant},
      {prim::CreateObject, 0, 0, 0, 1, kNone, VerifyCreateObject},
      {prim::DictConstruct, 0, 0, kAny, 1, kNone, VerifyDictConstruct},
      {prim::Enter, 0, 1, 1, 1, kNone, VerifyNothing},
      {prim::Exit, 0, 1, kAny, 1, kNone, VerifyNothing},
      {prim::GetAttr, 0, 1, 1, 1, attr::name, VerifyAttribute},
      {prim::If, 2, 1, 1, kAny, kNone, VerifyIf},
      {prim::ListConstruct, 0, 0, kAny, 1, kNone, VerifyListConstruct},
      {prim::ListUnpack, 0, 1, 1, kAny, kNone, VerifyListUnpack},
      {prim::Loop, 1, 2, kAny, kAny, kNone, VerifyLoop},
      {prim::SetAttr, 0, 2, 2, 0, attr::name, VerifyAttribute},
      {prim::TupleConstruct, 0, 0, kAny, 1, kNone, VerifyTupleConstruct},
      {prim::TupleIndex, 0, 2, 2, 1, kNone, VerifyTakesTuple},
      {prim::TupleSlice, 0, 1, kAny, 1, kNone, VerifyTakesTuple},
      {prim::TupleUnpack, 0, 1, 1, kAny, kNone, VerifyTupleUnpack},
      {prim::Uninitialized, 0, 0, 0, 1, kNone, VerifyNothing},
      {prim::fork, 0, 0, kAny, 1, attr::Subgraph, VerifyNothing},
      {prim::isinstance, 0, 1, 1, 1, attr::types, VerifyNothing},
  };
  const Kind* found = absl::c_find_if(
      kKinds, [&](const Kind& row) { return row.kind == node.kind(); });
  return found == std::end(kKinds) ? nullptr : found;
}

absl::Status VerifyCount(absl::string_view what, size_t count, int64_t least,
                         int64_t most) {
  const auto number = static_cast<int64_t>(count);
  if (number >= least && (most == kAny || number <= most)) {
    return absl::OkStatus();
  }
  return Broken(absl::StrCat("has ", number, " ", what, " and needs ", least,
                             most == least ? "" : " or more"));
}

absl::Status VerifyKind(const Node& node, const Kind& kind) {
  NS_RETURN_IF_ERROR(
      VerifyCount("blocks", node.blocks().size(), kind.blocks, kind.blocks));
  NS_RETURN_IF_ERROR(VerifyCount("inputs", node.inputs().size(),
                                 kind.least_inputs, kind.most_inputs));
  if (kind.outputs != kAny) {
    NS_RETURN_IF_ERROR(VerifyCount("outputs", node.outputs().size(),
                                   kind.outputs, kind.outputs));
  }
  if (kind.attribute != c10::Symbol() && !node.hasAttribute(kind.attribute)) {
    return Broken(
        absl::StrCat("has no attribute ", kind.attribute.toUnqualString()));
  }
  return kind.verify(node);
}

absl::Status VerifyOperator(const Node& node) {
  if (node.maybeOperator() == nullptr) {
    return Broken("is no operator with these inputs");
  }
  NS_RETURN_IF_ERROR(VerifyCount("blocks", node.blocks().size(), 0, 0));
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr || schema->is_varret()) {
    return absl::OkStatus();
  }
  const auto returns = static_cast<int64_t>(schema->returns().size());
  return VerifyCount("outputs", node.outputs().size(), returns, returns);
}

}  // namespace

absl::Status VerifyNode(const Node& node) {
  return CatchTorchErrors([&]() -> absl::Status {
    const Kind* kind = FindKind(node);
    return kind != nullptr ? VerifyKind(node, *kind) : VerifyOperator(node);
  });
}

}  // namespace ns
