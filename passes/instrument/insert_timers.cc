#include "passes/instrument/insert_timers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_walk.h"
#include "ir/model/attach_attribute.h"
#include "ir/model/insert_method_call.h"

namespace ns {
namespace {

using ::torch::jit::Node;

bool Computes(const Node& node) {
  return node.kind() != c10::prim::Constant &&
         node.kind() != c10::prim::GetAttr && node.blocks().empty();
}

}  // namespace

absl::StatusOr<LapTimerPtr> InsertTimers(ModelGraph& model, size_t slots,
                                         SlotOfNode slot_of) {
  // Where to call the timer, and for which slot.
  std::vector<std::pair<Node*, size_t>> laps = {
      {*model.graph().block()->nodes().begin(), slots}};
  ForEachNode(model.graph().block(), [&](Node* node) {
    if (Computes(*node)) {
      laps.emplace_back(node->next(), slot_of(*node));
    }
  });
  const auto timer = c10::make_intrusive<LapTimer>(slots + 1);
  const std::string name =
      AttachAttribute(model.module(), "ns_timer_", c10::IValue(timer));
  NS_RETURN_IF_ERROR(CatchTorchErrors("timing", [&]() -> absl::Status {
    for (const auto& [place, slot] : laps) {
      const torch::jit::WithInsertPoint here(place);
      torch::jit::Value* const number =
          model.graph().insertConstant(static_cast<int64_t>(slot));
      NS_RETURN_IF_ERROR(
          InsertMethodCall(model, name, "lap", {number}, place).status());
    }
    return absl::OkStatus();
  }));
  return timer;
}

}  // namespace ns
