#include "passes/quantization/masked_values.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/uses_behind.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/int8_form.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;

constexpr double kCoarsestScores = 0.5;

bool IsOfFamily(absl::string_view op, absl::string_view family) {
  const OpRow* const row = FindOp(op);
  return row != nullptr && row->family == family;
}

// Whether the output of the op of `use` holds scores as its input does. What a
// sigmoid gives are no scores, however large its input is, nor is a divisor.
bool HandsOnScores(const Use& use) {
  static constexpr absl::string_view kFamilies[] = {
      "add", "hardtanh", "masked_fill", "maximum", "minimum",
      "mul", "sub",      "to",          "type_as", "where"};
  const Node& node = *use.user;
  const OpRow* const row = FindOp(OpName(node));
  // Observers, which are called, hand on what they see.
  return node.kind() == c10::prim::CallMethod || MovesValues(node) ||
         (row != nullptr && (absl::c_linear_search(kFamilies, row->family) ||
                             (row->family == "div" && use.offset == 0)));
}

bool IsSoftmax(const Use& use) {
  const absl::string_view op = OpName(*use.user);
  return IsOfFamily(op, "softmax") || IsOfFamily(op, "log_softmax");
}

}  // namespace

MaskedValues::MaskedValues(const std::vector<Node*>& calls, Find find)
    : find_(std::move(find)) {
  for (const Node* call : calls) {
    if (HasUseBehind(*call->output(), HandsOnScores, IsSoftmax)) {
      scores_.insert(call->input(0)->node()->s(c10::attr::name));
    }
  }
}

absl::Status MaskedValues::CheckScores(int64_t number) const {
  const CalibratedValue* scores = find_(number);
  if (scores_.count(ObserverAttribute(number)) == 0 || scores == nullptr ||
      scores->observer->config().compat) {
    return absl::OkStatus();
  }
  if (scores->observer->InfCount() > 0) {
    return Refusal(
        "a softmax takes its values, some of which are infinite, as of masks");
  }
  return scores->status.ok() && scores->qparams.scale > kCoarsestScores
             ? Refusal(absl::StrFormat(
                   "a softmax takes its values, for which steps of %.2g are "
                   "too coarse",
                   scores->qparams.scale))
             : absl::OkStatus();
}

absl::Status MaskedValues::Check(const PreparedLayer& layer) const {
  if (IsOfFamily(layer.op, "softmax") && !layer.inputs.empty()) {
    return CheckScores(layer.inputs.front());
  }
  return layer.weight.empty() ? CheckScores(layer.output) : absl::OkStatus();
}

}  // namespace ns
