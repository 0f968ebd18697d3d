#include "ir/graph/pass_context.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "ir/graph/layer_id.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"

namespace ns {

void PassContext::Remark(const torch::jit::Node& node,
                         absl::string_view reason) {
  remarks_.push_back({std::string(OpName(node)), CallName(ModulePathOf(node)),
                      std::string(reason), pass_});
}

void PassContext::Replaced(const torch::jit::Value& old,
                           torch::jit::Value& now) {
  HandOnLayerId(*old.node(), *now.node());
  for (const ReplacementListener& listener : listeners_) {
    listener(old, now);
  }
}

}  // namespace ns
