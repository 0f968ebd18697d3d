#include "passes/rewrite/tap_value.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "ir/model/attach_attribute.h"
#include "ir/model/insert_method_call.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::StatusOr<Value*> Tapped(ModelGraph& model, Value& value, Node& place,
                              ValueTap::Function function) {
  if (!IsTensor(value)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "%", value.debugName(), " is no tensor, but a ", value.type()->str()));
  }
  const std::string name = AttachAttribute(
      model.module(), "ns_tap_",
      c10::IValue(c10::make_intrusive<ValueTap>(std::move(function))));
  NS_ASSIGN_OR_RETURN(
      Value * seen, InsertMethodCall(model, name, "forward", {&value}, &place));
  seen->setType(value.type());
  return seen;
}

}  // namespace

absl::Status TapValue(ModelGraph& model, Value& value,
                      ValueTap::Function function) {
  NS_ASSIGN_OR_RETURN(Value * seen, Tapped(model, value, *PlaceAfter(value),
                                           std::move(function)));
  value.replaceAllUsesAfterNodeWith(seen->node(), seen);
  return absl::OkStatus();
}

absl::Status TapInput(ModelGraph& model, Node& node, size_t index,
                      ValueTap::Function function) {
  NS_ASSIGN_OR_RETURN(Value * seen, Tapped(model, *node.input(index), node,
                                           std::move(function)));
  node.replaceInput(index, seen);
  return absl::OkStatus();
}

}  // namespace ns
