#include "ir/flatten/explicit_convolutions.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/interned_strings.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
using Ints = std::vector<int64_t>;

// Returns the sizes of a weight that is constant, or made from a constant by
// ops that keep its shape; nothing for another one.
std::optional<Ints> SizesOf(const Value& weight) {
  const Value* value = &weight;
  while (true) {
    if (const std::optional<c10::IValue> constant = ConstantOf(*value)) {
      return constant->isTensor() && constant->toTensor().defined()
                 ? std::make_optional(constant->toTensor().sizes().vec())
                 : std::nullopt;
    }
    const absl::string_view op = OpName(*value->node());
    if (value->node()->inputs().empty() ||
        !(absl::StrContains(op, "quantize") || op == "ns::observed_weight")) {
      return std::nullopt;
    }
    value = value->node()->input(0);
  }
}

// Returns the constant ints of an argument, one for each dimension; nothing
// where it is not constant, or has another number of ints.
std::optional<Ints> ConstantInts(const Node& node, absl::string_view name,
                                 size_t dimensions) {
  const Value* input = InputNamed(node, name);
  if (input == nullptr) {
    return std::nullopt;
  }
  Ints ints;
  if (const std::optional<c10::IValue> constant = ConstantOf(*input)) {
    if (!constant->isInt() && !constant->isIntList()) {
      return std::nullopt;
    }
    ints =
        constant->isInt() ? Ints{constant->toInt()} : constant->toIntVector();
  } else if (input->node()->kind() == c10::prim::ListConstruct) {
    for (const Value* element : input->node()->inputs()) {
      const std::optional<c10::IValue> number = ConstantOf(*element);
      if (!number || !number->isInt()) {
        return std::nullopt;
      }
      ints.push_back(number->toInt());
    }
  }
  if (ints.size() == 1) {
    ints.resize(dimensions, ints[0]);
  }
  return ints.size() == dimensions ? std::make_optional(ints) : std::nullopt;
}

// Returns the number of dimensions that the name of a convolution ends with:
// "aten::conv2d". 0 where there is none.
size_t DimensionsOf(const Node& node) {
  const absl::string_view op = OpName(node);
  int dimensions = 0;
  return op.size() > 2 && op.back() == 'd' &&
                 absl::SimpleAtoi(op.substr(op.size() - 2, 1), &dimensions)
             ? static_cast<size_t>(dimensions)
             : 0;
}

// Inserts `node` with the module path and the source line of `original`.
Value* Insert(Graph& graph, Node* node, const Node& original) {
  graph.insertNode(node)->copyMetadata(const_cast<Node*>(&original));
  return node->output();
}

Value* Call(Graph& graph, c10::Symbol op, const std::vector<Value*>& inputs,
            const c10::TypePtr& type, const Node& original) {
  Node* node = graph.create(op, inputs);
  node->output()->setType(type);
  return Insert(graph, node, original);
}

// Replaces the padding of one convolution by numbers.
class PaddedConvolution {
 public:
  // `padding` is that argument of `node`.
  PaddedConvolution(Graph& graph, Node* node, const Value& padding)
      : graph_(graph), node_(node), mode_(ConstantOf(padding)) {}

  bool Replace() {
    const std::optional<Ints> weight = SizesOf(*InputNamed(*node_, "weight"));
    const size_t dimensions = weight && weight->size() > 2
                                  ? weight->size() - 2
                                  : DimensionsOf(*node_);
    if (!mode_ || !mode_->isString() || dimensions < 1 || dimensions > 3 ||
        !FindPadding(weight, dimensions)) {
      return false;
    }
    const torch::jit::WithInsertPoint here(node_);
    Value* x = node_->input(0);
    if (std::any_of(left_over_.begin(), left_over_.end(),
                    [](int64_t zeros) { return zeros != 0; })) {
      x = Call(graph_, c10::Symbol::fromQualString("aten::pad"),
               {x, graph_.insertConstant(left_over_),
                graph_.insertConstant("constant"), graph_.insertConstant(0.0)},
               c10::TensorType::get(), *node_);
    }
    Value* y =
        Call(graph_,
             c10::Symbol::fromQualString(
                 absl::StrCat("aten::conv", dimensions, "d")),
             {x, InputNamed(*node_, "weight"), InputNamed(*node_, "bias"),
              InputNamed(*node_, "stride"), graph_.insertConstant(padding_),
              InputNamed(*node_, "dilation"), InputNamed(*node_, "groups")},
             node_->output()->type(), *node_);
    if (node_->output()->hasDebugName()) {
      y->setDebugName(node_->output()->debugName());
    }
    node_->output()->replaceAllUsesWith(y);
    node_->destroy();
    return true;
  }

 private:
  // Reference: _convolution_same, aten/src/ATen/native/Convolution.cpp.
  bool FindPadding(const std::optional<Ints>& weight, size_t dimensions) {
    padding_.assign(dimensions, 0);
    left_over_.assign(2 * dimensions, 0);
    if (mode_->toStringRef() == "valid") {
      return true;
    }
    const std::optional<Ints> dilation =
        ConstantInts(*node_, "dilation", dimensions);
    if (mode_->toStringRef() != "same" || !weight ||
        weight->size() != dimensions + 2 || !dilation ||
        ConstantInts(*node_, "stride", dimensions) != Ints(dimensions, 1)) {
      return false;
    }
    for (size_t i = 0; i < dimensions; ++i) {
      const int64_t total = (*dilation)[i] * ((*weight)[i + 2] - 1);
      padding_[i] = total / 2;
      // aten::pad takes the last dimension first, and its start before its end.
      left_over_[2 * (dimensions - i) - 1] = total % 2;
    }
    return true;
  }

  Graph& graph_;
  Node* node_;
  const std::optional<c10::IValue> mode_;
  Ints padding_;
  Ints left_over_;
};

bool MakePaddingExplicit(Graph& graph, Node* node) {
  const absl::string_view op = OpName(*node);
  const Value* padding =
      absl::StartsWith(op, "aten::conv") || op == "aten::_convolution_mode"
          ? InputNamed(*node, "padding")
          : nullptr;
  return padding != nullptr &&
         padding->type()->kind() == c10::TypeKind::StringType &&
         PaddedConvolution(graph, node, *padding).Replace();
}

void ReplaceArgument(Node& node, const std::string& name, Value* value) {
  node.replaceInput(
      static_cast<size_t>(*node.schema().argumentIndexWithName(name)), value);
}

// Returns the part of `whole` that an output padding of `added` asks for, which
// is `most` at most. Before that part, `whole` has `before[i]` elements more in
// dimension i, and as many more at its end.
Value* PartOf(Graph& graph, Value* whole, Value* added, const Ints& most,
              const Ints& before, const Node& original) {
  const c10::TypePtr number = c10::IntType::get();
  const auto constant = [&](int64_t value) {
    return graph.insertConstant(value);
  };
  const auto dimensions = static_cast<int64_t>(most.size());
  for (int64_t i = 0; i < dimensions; ++i) {
    const auto place = static_cast<size_t>(i);
    if (most[place] == 0) {
      continue;
    }
    Value* dimension = constant(i - dimensions);
    Value* asked = Call(graph, c10::aten::__getitem__, {added, constant(i)},
                        number, original);
    Value* too_many =
        Call(graph, c10::aten::sub,
             {constant(most[place] + before[place]), asked}, number, original);
    Value* size =
        Call(graph, c10::aten::size, {whole, dimension}, number, original);
    Value* length =
        Call(graph, c10::aten::sub, {size, too_many}, number, original);
    whole = Call(graph, c10::aten::narrow,
                 {whole, dimension, constant(before[place]), length},
                 c10::TensorType::get(), original);
  }
  return whole;
}

bool MakeOutputPaddingExplicit(Graph& graph, Node* node) {
  Value* added = absl::StartsWith(OpName(*node), "aten::conv_transpose")
                     ? InputNamed(*node, "output_padding")
                     : nullptr;
  const size_t dimensions = DimensionsOf(*node);
  if (added == nullptr || dimensions == 0 ||
      added->type()->kind() != c10::TypeKind::ListType ||
      ConstantInts(*node, "output_padding", dimensions)) {
    return false;
  }
  const auto stride = ConstantInts(*node, "stride", dimensions);
  const auto dilation = ConstantInts(*node, "dilation", dimensions);
  auto padding = ConstantInts(*node, "padding", dimensions);
  if (!stride || !dilation || !padding) {
    return false;
  }
  Ints most;
  Ints before(dimensions, 0);
  Ints output_padding(dimensions, 0);
  for (size_t i = 0; i < dimensions; ++i) {
    most.push_back(std::max((*stride)[i], (*dilation)[i]) - 1);
    // oneDNN's int8 kernels have no output padding. With less padding, more is
    // computed at both ends.
    if ((*padding)[i] >= most[i]) {
      before[i] = most[i];
      (*padding)[i] -= most[i];
    } else {
      output_padding[i] = most[i];
    }
  }
  const std::vector<torch::jit::Use> uses = node->output()->uses();
  {
    const torch::jit::WithInsertPoint before(node);
    ReplaceArgument(*node, "padding", graph.insertConstant(*padding));
    ReplaceArgument(*node, "output_padding",
                    graph.insertConstant(output_padding));
  }
  const torch::jit::WithInsertPoint after(node->next());
  Value* part = PartOf(graph, node->output(), added, most, before, *node);
  for (const torch::jit::Use& use : uses) {
    use.user->replaceInput(use.offset, part);
  }
  return true;
}

}  // namespace

bool MakeConvolutionsExplicit(Graph& graph) {
  std::vector<Node*> nodes;
  ForEachNode(graph.block(), [&](Node* node) {
    if (absl::StartsWith(OpName(*node), "aten::conv") ||
        absl::StartsWith(OpName(*node), "aten::_convolution_mode")) {
      nodes.push_back(node);
    }
  });
  bool changed = false;
  for (Node* node : nodes) {
    changed |= MakePaddingExplicit(graph, node) ||
               MakeOutputPaddingExplicit(graph, node);
  }
  return changed;
}

}  // namespace ns
