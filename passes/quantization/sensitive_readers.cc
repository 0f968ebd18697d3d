#include "passes/quantization/sensitive_readers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/status/statusor.h"
#include "ir/data_inputs.h"
#include "ir/node_view.h"
#include "ir/uses_behind.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/int8_form.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

// Whether the op of `use` makes large errors of small ones in that input.
bool IsSensitive(const Use& use) {
  const OpRow* const row = FindOp(OpName(*use.user));
  if (row == nullptr) {
    return false;
  }
  if (row->family == "div") {
    return use.offset == 1;
  }
  if (row->family == "pow") {
    const std::optional<double> exponent = NumberOf(*use.user->input(1));
    return use.offset == 0 && exponent && *exponent < 1;
  }
  return use.offset == 0 && row->family_row->facts.amplifies_errors;
}

// Whether the first output of the op of `use` is as sensitive as that input.
bool HandsOn(const Use& use) {
  const Node& node = *use.user;
  const OpRow* const row = FindOp(OpName(node));
  if (row == nullptr) {
    return false;
  }
  if (row->family == "hardtanh" || row->family == "mean" ||
      row->family == "sum" || MovesValues(node)) {
    return true;
  }
  if (row->family == "add" || row->family == "mul" || row->family == "sub") {
    return DataInputs(node).size() == 1;
  }
  const absl::StatusOr<Int8Form> form = Int8FormOf(node);
  return form.ok() && *form == Int8Form::kRangeOfInput;
}

}  // namespace

absl::string_view SensitiveReader(const Value& value) {
  absl::string_view reader;
  HasUseBehind(value, HandsOn, [&](const Use& use) {
    if (IsSensitive(use)) {
      reader = FindOp(OpName(*use.user))->family;
    }
    return !reader.empty();
  });
  return reader;
}

}  // namespace ns
