#include "passes/quantization/masked_values.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/int8_form.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

constexpr double kCoarsestScores = 0.5;

// The family of an op; the op itself where the table does not have it.
absl::string_view FamilyOf(absl::string_view op) {
  const OpRow* const row = FindOp(op);
  return row != nullptr ? row->family : ShortOpName(op);
}

// Whether the output of the op of `use` holds scores as its input does.
bool HandsOnScores(const Use& use) {
  static constexpr absl::string_view kFamilies[] = {
      "add", "hardtanh", "masked_fill", "maximum", "minimum",
      "mul", "sub",      "to",          "type_as", "where"};
  const Node& node = *use.user;
  if (node.outputs().size() != 1 || !node.blocks().empty()) {
    return false;
  }
  // Observers hand on what they see.
  return node.kind() == c10::prim::CallMethod || MovesValues(node) ||
         absl::c_linear_search(kFamilies, FamilyOf(OpName(node))) ||
         (FamilyOf(OpName(node)) == "div" && use.offset == 0);
}

bool ComesToSoftmax(const Value& value) {
  std::vector<const Value*> reached = {&value};
  absl::flat_hash_set<const Value*> seen = {&value};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const Use& use : reached[i]->uses()) {
      const absl::string_view family = FamilyOf(OpName(*use.user));
      if (family == "softmax" || family == "log_softmax") {
        return true;
      }
      if (HandsOnScores(use) && seen.insert(use.user->output(0)).second) {
        reached.push_back(use.user->output(0));
      }
    }
  }
  return false;
}

}  // namespace

MaskedValues::MaskedValues(const std::vector<Node*>& calls, Find find)
    : find_(std::move(find)) {
  for (const Node* call : calls) {
    if (ComesToSoftmax(*call->output())) {
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
  if (FamilyOf(layer.op) == "softmax" && !layer.inputs.empty()) {
    return CheckScores(layer.inputs.front());
  }
  return layer.weight.empty() ? CheckScores(layer.output) : absl::OkStatus();
}

}  // namespace ns
