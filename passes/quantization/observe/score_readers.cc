#include "passes/quantization/observe/score_readers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "ir/graph/node_view.h"
#include "ir/graph/uses_behind.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/moved_input.h"

namespace ns {
namespace {

using ::torch::jit::Use;
using ::torch::jit::Value;

// Whether the output of the op of `use` holds scores as its input does. What a
// sigmoid gives are no scores, however large its input is, nor is a divisor.
bool HandsOnScores(const Use& use) {
  static constexpr absl::string_view kFamilies[] = {
      "add",     "cat",  "copy", "hardtanh", "masked_fill", "maximum",
      "minimum", "mul",  "neg",  "rsub",     "stack",       "sub",
      "to",      "tril", "triu", "type_as",  "where"};
  // Observers, which are called, hand on what they see.
  if (use.user->kind() == c10::prim::CallMethod) {
    return true;
  }
  const OpRow* const row = FindOp(OpName(*use.user));
  return row != nullptr &&
         (absl::c_linear_search(kFamilies, row->family) || MovesInput(use) ||
          (row->family == "div" && use.offset == 0));
}

// Whether the op of `use` takes exponentials of that input, or of a sum of it.
bool ReadsScores(const Use& use) {
  if (TakesScores(OpName(*use.user))) {
    return use.offset == 0;
  }
  if (use.user->kind() == c10::aten::pow) {
    return use.offset == 1;
  }
  const c10::FunctionSchema* schema = use.user->maybeSchema();
  return OpName(*use.user) == "aten::_scaled_dot_product_attention" &&
         schema != nullptr && use.offset < schema->arguments().size() &&
         schema->arguments()[use.offset].name() == "attn_mask";
}

}  // namespace

bool TakesScores(absl::string_view op) {
  static constexpr absl::string_view kFamilies[] = {"exp", "log_softmax",
                                                    "softmax"};
  // These have no row in the table of ops.
  static constexpr absl::string_view kOps[] = {
      "aten::exp2", "aten::expm1", "aten::logcumsumexp", "aten::logsumexp"};
  const OpRow* const row = FindOp(op);
  return absl::c_linear_search(kOps, op) ||
         (row != nullptr && absl::c_linear_search(kFamilies, row->family));
}

ScoreReaders::ScoreReaders() : search_(HandsOnScores, ReadsScores) {}

absl::string_view ScoreReaders::Of(const Value& value) {
  const std::optional<Use> reader = search_.Find(value);
  return reader ? ShortOpName(OpName(*reader->user)) : "";
}

absl::string_view ScoreReader(const Value& value) {
  return ScoreReaders().Of(value);
}

}  // namespace ns
