#include "ir/graph/node_view.h"

#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/symbol_text.h"
#include "ir/graph/handed_on.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// Returns `node` and the nodes that hold it, innermost first.
std::vector<const Node*> PathTo(const Node& node) {
  std::vector<const Node*> path;
  for (const Node* outer = &node; outer != nullptr;
       outer = outer->owningBlock()->owningNode()) {
    path.push_back(outer);
  }
  return path;
}

// Whether the op changes a list of type `list`: its argument, or one that this
// argument is put into.
bool ChangesList(const Use& use, const c10::Type& list) {
  const c10::FunctionSchema* schema = use.user->maybeSchema();
  return schema != nullptr && schema->is_mutable() &&
         *use.user->inputs()[use.offset]->type() == list;
}

// Whether the op gives new lists where its argument is one of type `list`:
// `a + b`, `a[1:]`.
bool CopiesList(const Use& use, const c10::Type& list) {
  return *use.user->inputs()[use.offset]->type() == list &&
         use.user->maybeSchema() != nullptr && AliasOf(use) == nullptr;
}

// Whether values of `type` may be a list of type `list`, or hold one.
bool MayHoldList(const c10::Type& type, const c10::Type& list) {
  return type == list ||
         std::any_of(type.containedTypes().begin(), type.containedTypes().end(),
                     [&](const c10::TypePtr& inner) {
                       return MayHoldList(*inner, list);
                     });
}

// True for a quantized::relu6 in place, whose schema hides that it writes to
// its input.
bool IsRelu6InPlace(const Node& node) {
  static const c10::Symbol kRelu6 =
      c10::Symbol::fromQualString("quantized::relu6");
  if (node.kind() != kRelu6) {
    return false;
  }
  const Value* inplace = InputNamed(node, "inplace");
  const auto constant =
      inplace == nullptr ? c10::nullopt : ConstantOf(*inplace);
  return !constant || !constant->isBool() || constant->toBool();
}

}  // namespace

bool IsLeafCall(const Node& node) {
  if (node.kind() == prim::CallFunction) {
    return true;
  }
  if (node.kind() != prim::CallMethod) {
    return false;
  }
  const auto type = node.inputs()[0]->type()->cast<c10::ClassType>();
  return type && type->is_module();
}

absl::string_view OpName(const Node& node) {
  if (node.kind() == prim::CallFunction) {
    const auto type = node.inputs()[0]->type()->cast<c10::FunctionType>();
    return type ? absl::string_view(type->function()->name())
                : QualifiedText(node.kind());
  }
  if (IsLeafCall(node)) {
    const ModulePath path = ModulePathOf(node);
    if (!path.type.empty()) {
      return path.type;
    }
  }
  return QualifiedText(node.kind());
}

absl::string_view ShortOpName(absl::string_view op) {
  const size_t colons = op.rfind("::");
  return colons == absl::string_view::npos ? op : op.substr(colons + 2);
}

std::string ValueName(const Value& value) {
  return value.hasDebugName() ? value.debugNameBase()
                              : absl::StrCat("%", value.debugName());
}

std::string NodeName(const Node& node) {
  return node.outputs().empty() ? std::string(OpName(node))
                                : ValueName(*node.outputs()[0]);
}

std::string LayerName(const torch::jit::Node& node) {
  std::string name = CallName(ModulePathOf(node));
  return name.empty() ? std::string(ShortOpName(OpName(node))) : name;
}

bool IsTensor(const Value& value) {
  return value.type()->kind() == c10::TypeKind::TensorType;
}

bool IsTensorList(const Value& value) {
  const auto list = value.type()->cast<c10::ListType>();
  return list && list->getElementType()->kind() == c10::TypeKind::TensorType;
}

bool IsWrittenTo(const Value& list) {
  const c10::Type& type = *list.type();
  std::vector<const Value*> reached = {&list};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const Use& use : reached[i]->uses()) {
      if (ChangesList(use, type)) {
        return true;
      }
      if (CopiesList(use, type)) {
        continue;
      }
      for (const Value* next : HandedOnTo(use)) {
        if (MayHoldList(*next->type(), type) &&
            std::find(reached.begin(), reached.end(), next) == reached.end()) {
          reached.push_back(next);
        }
      }
    }
  }
  return false;
}

bool WorksInPlace(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if ((schema != nullptr && schema->is_mutable()) || IsRelu6InPlace(node)) {
    return true;
  }
  return std::any_of(
      node.blocks().begin(), node.blocks().end(),
      [](const torch::jit::Block* block) {
        return std::any_of(
            block->nodes().begin(), block->nodes().end(),
            [](const Node* inner) { return WorksInPlace(*inner); });
      });
}

std::vector<Node*> WritersBefore(const Value& container, const Node& place) {
  std::vector<Node*> writers;
  for (const torch::jit::Use& use : container.uses()) {
    if (!WorksInPlace(*use.user)) {
      continue;
    }
    Node* writer = use.user;
    while (writer->owningBlock() != container.node()->owningBlock()) {
      writer = writer->owningBlock()->owningNode();
    }
    if (writer->isBefore(&place)) {
      writers.push_back(writer);
    }
  }
  std::sort(writers.begin(), writers.end(), [](const Node* x, const Node* y) {
    return x != y && x->isBefore(y);
  });
  writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
  return writers;
}

Value* TensorOutput(const Node& node) {
  for (const Value* output : node.outputs()) {
    if (IsTensor(*output)) {
      return const_cast<Value*>(output);
    }
  }
  return nullptr;
}

Value* InputNamed(const Node& node, absl::string_view name) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr) {
    return nullptr;
  }
  const c10::optional<int> index =
      schema->argumentIndexWithName(std::string(name));
  if (!index || static_cast<size_t>(*index) >= node.inputs().size()) {
    return nullptr;
  }
  return const_cast<Value*>(node.inputs()[*index]);
}

std::optional<c10::IValue> ConstantOf(const Value& value) {
  c10::optional<c10::IValue> constant = torch::jit::toIValue(&value);
  if (!constant) {
    return std::nullopt;
  }
  return *std::move(constant);
}

std::optional<double> NumberOf(const Value& value) {
  const std::optional<c10::IValue> constant = ConstantOf(value);
  if (!constant) {
    return std::nullopt;
  }
  if (constant->isDouble() || constant->isInt()) {
    return constant->toScalar().toDouble();
  }
  if (!constant->isTensor()) {
    return std::nullopt;
  }
  const at::Tensor& tensor = constant->toTensor();
  const bool is_number =
      tensor.defined() && tensor.dim() == 0 && !tensor.is_quantized() &&
      (tensor.is_floating_point() ||
       c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/false));
  return is_number ? std::make_optional(tensor.item<double>()) : std::nullopt;
}

std::optional<c10::ScalarType> ConstantDtype(const Node& node) {
  const Value* dtype = InputNamed(node, "dtype");
  const auto constant = dtype == nullptr ? std::nullopt : ConstantOf(*dtype);
  return constant && constant->isInt()
             ? std::make_optional(constant->toScalarType())
             : std::nullopt;
}

Node* OnlyUser(const Value& value) {
  if (value.uses().size() != 1) {
    return nullptr;
  }
  Node* user = value.uses()[0].user;
  return user->owningBlock() == value.node()->owningBlock() &&
                 user != user->owningBlock()->return_node()
             ? user
             : nullptr;
}

Node* PlaceAfter(const Value& value) {
  Node* definition = const_cast<Node*>(value.node());
  return definition->kind() == c10::prim::Param
             ? *definition->owningBlock()->nodes().begin()
             : definition->next();
}

bool RunsBefore(const Node& a, const Node& b) {
  // Node::isBefore leaves the arms of one prim::If unordered.
  const std::vector<const Node*> path_a = PathTo(a);
  const std::vector<const Node*> path_b = PathTo(b);
  const auto [outer_a, outer_b] = std::mismatch(path_a.rbegin(), path_a.rend(),
                                                path_b.rbegin(), path_b.rend());
  if (outer_a == path_a.rend() || outer_b == path_b.rend()) {
    return path_a.size() < path_b.size();
  }
  const torch::jit::Block* block_a = (*outer_a)->owningBlock();
  const torch::jit::Block* block_b = (*outer_b)->owningBlock();
  if (block_a == block_b) {
    return (*outer_a)->isBefore(*outer_b);
  }
  const at::ArrayRef<const torch::jit::Block*> arms =
      (*std::prev(outer_a))->blocks();
  return std::find(arms.begin(), arms.end(), block_a) <
         std::find(arms.begin(), arms.end(), block_b);
}

}  // namespace ns
