#include "passes/quantization/sensitive_readers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/data_inputs.h"
#include "ir/node_view.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/int8_form.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

// Whether the op of `use` makes large errors of small ones in that input.
bool IsSensitive(const Use& use, absl::string_view op) {
  static constexpr absl::string_view kOps[] = {
      "cos", "log", "log10", "log2", "reciprocal", "rsqrt", "sin", "sqrt"};
  if (op == "div") {
    return use.offset == 1;
  }
  if (op == "pow") {
    const std::optional<double> exponent = use.user->inputs().size() > 1
                                               ? NumberOf(*use.user->input(1))
                                               : std::nullopt;
    return use.offset == 0 && exponent && *exponent < 1;
  }
  return use.offset == 0 && absl::c_linear_search(kOps, op);
}

// Whether the first output of `node` is as sensitive as `value`, one of its
// inputs.
bool HandsOn(const Node& node, absl::string_view op) {
  if (node.outputs().empty() || !node.blocks().empty()) {
    return false;
  }
  if (op == "hardtanh" || op == "mean" || op == "sum" || MovesValues(node)) {
    return true;
  }
  if (op == "add" || op == "mul" || op == "sub") {
    return DataInputs(node).size() == 1;
  }
  const absl::StatusOr<Int8Form> form = Int8FormOf(node);
  return form.ok() && *form == Int8Form::kRangeOfInput;
}

// The name of an op without that of its variant in place.
absl::string_view PlainName(const Node& node) {
  const OpRow* const row = FindOp(OpName(node));
  return row != nullptr ? row->family : ShortOpName(OpName(node));
}

}  // namespace

absl::string_view SensitiveReader(const Value& value) {
  std::vector<const Value*> reached = {&value};
  absl::flat_hash_set<const Value*> seen = {&value};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const Use& use : reached[i]->uses()) {
      const absl::string_view op = PlainName(*use.user);
      if (IsSensitive(use, op)) {
        return op;
      }
      if (HandsOn(*use.user, op) && seen.insert(use.user->output(0)).second) {
        reached.push_back(use.user->output(0));
      }
    }
  }
  return {};
}

}  // namespace ns
