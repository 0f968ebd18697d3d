#include "ir/graph/layer_id.h"

#include <torch/csrc/jit/ir/ir.h>

namespace ns {
namespace {

c10::Symbol IdAttribute() {
  static const c10::Symbol attribute = c10::Symbol::attr("ns_layer");
  return attribute;
}

}  // namespace

void SetLayerId(torch::jit::Node& node, LayerId id) {
  node.i_(IdAttribute(), id.number());
}

std::optional<LayerId> LayerIdOf(const torch::jit::Node& node) {
  return node.hasAttribute(IdAttribute())
             ? std::make_optional(LayerId(node.i(IdAttribute())))
             : std::nullopt;
}

void HandOnLayerId(const torch::jit::Node& old, torch::jit::Node& now) {
  const std::optional<LayerId> id = LayerIdOf(old);
  const std::optional<LayerId> own = LayerIdOf(now);
  if (id && (!own || *id < *own) && now.kind() != c10::prim::Constant) {
    SetLayerId(now, *id);
  }
}

}  // namespace ns
