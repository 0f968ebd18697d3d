#include "passes/rewrite/replace_tensors.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

class Replacer {
 public:
  Replacer(ModelGraph& host, absl::Span<const TensorReplacement> replacements)
      : host_(host),
        replacements_(replacements),
        found_(replacements.size(), false) {}

  void Visit(Node* node) {
    if (node->kind() == c10::prim::Constant) {
      VisitConstant(node);
    } else if (node->kind() == c10::prim::GetAttr &&
               node->input(0) == host_.graph().inputs()[0]) {
      VisitAttribute(node->s(c10::attr::name));
    }
  }

  bool HasFoundAll() const {
    return absl::c_all_of(found_, [](bool found) { return found; });
  }

 private:
  // What takes the place of `value`; nothing where it stays.
  std::optional<c10::IValue> After(const c10::IValue& value) {
    if (value.isTensorList()) {
      bool is_replaced = false;
      c10::List<at::Tensor> after;
      for (const at::Tensor& element : value.toTensorVector()) {
        const std::optional<c10::IValue> other = After(element);
        after.push_back(other ? other->toTensor() : element);
        is_replaced |= other.has_value();
      }
      return is_replaced ? std::make_optional<c10::IValue>(after)
                         : std::nullopt;
    }
    if (!value.isTensor()) {
      return std::nullopt;
    }
    for (size_t i = 0; i < replacements_.size(); ++i) {
      if (replacements_[i].before.is_same(value.toTensor())) {
        found_[i] = true;
        return replacements_[i].after;
      }
    }
    return std::nullopt;
  }

  void VisitConstant(Node* node) {
    const std::optional<c10::IValue> value = ConstantOf(*node->output());
    const std::optional<c10::IValue> after =
        value ? After(*value) : std::nullopt;
    if (!after) {
      return;
    }
    if (after->isTensor()) {
      node->t_(c10::attr::value, after->toTensor());
      node->output()->inferTypeFrom(after->toTensor());
    } else {
      node->ival_(c10::attr::value, *after);
    }
  }

  void VisitAttribute(const std::string& name) {
    if (const auto after = After(host_.module().attr(name))) {
      host_.module().setattr(name, *after);
    }
  }

  ModelGraph& host_;
  const absl::Span<const TensorReplacement> replacements_;
  std::vector<bool> found_;
};

}  // namespace

bool ReplaceTensors(ModelGraph& host, Node* first, Node* end,
                    absl::Span<const TensorReplacement> replacements) {
  Replacer replacer(host, replacements);
  for (Node* node = first; node != end; node = node->next()) {
    replacer.Visit(node);
    for (Block* block : node->blocks()) {
      ForEachNode(block, [&](Node* inner) { replacer.Visit(inner); });
    }
  }
  return replacer.HasFoundAll();
}

}  // namespace ns
