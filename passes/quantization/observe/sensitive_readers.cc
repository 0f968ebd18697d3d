#include "passes/quantization/observe/sensitive_readers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/node_view.h"
#include "ir/graph/uses_behind.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/moved_input.h"

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

// Whether `value` is a product, or products that at most `depth` ops move,
// average and sum up: quantization may hold back what makes it.
bool IsOfProducts(const Value& value, int depth) {
  const Node& node = *value.node();
  const OpRow* const row = FindOp(OpName(node));
  if (row == nullptr || depth == 0) {
    return false;
  }
  if (row->family == "mul" || row->family == "pow") {
    return true;
  }
  const bool hands_on = row->family == "add" || row->family == "mean" ||
                        row->family == "sub" || row->family == "sum" ||
                        row->role == Role::kShape ||
                        row->role == Role::kTransparent;
  const std::vector<Value*> inputs =
      hands_on ? DataInputs(node) : std::vector<Value*>();
  return !inputs.empty() && absl::c_all_of(inputs, [&](const Value* input) {
    return IsOfProducts(*input, depth - 1);
  });
}

// Whether the sum, difference or product is as sensitive as that operand. Where
// others have errors of their own, it would be in vain to hold one back, but
// each of several products can be.
bool SumsUp(const Use& use, absl::string_view family) {
  constexpr int kMostOps = 8;
  const std::vector<Value*> operands = DataInputs(*use.user);
  return operands.size() == 1 ||
         (family != "mul" && absl::c_all_of(operands, [](const Value* operand) {
            return IsOfProducts(*operand, kMostOps);
          }));
}

// Whether the outputs of the op of `use` are as sensitive as that input.
bool HandsOn(const Use& use) {
  const Node& node = *use.user;
  const OpRow* const row = FindOp(OpName(node));
  if (row == nullptr) {
    return false;
  }
  const absl::string_view family = row->family;
  if (family == "hardtanh" || family == "mean" || family == "sum" ||
      family == "cat" || family == "stack" || family == "masked_fill" ||
      MovesInput(use)) {
    return true;
  }
  if (family == "where") {
    return use.offset > 0;
  }
  if (family == "add" || family == "mul" || family == "sub") {
    return SumsUp(use, family);
  }
  const absl::StatusOr<Int8Form> form = Int8FormOf(node);
  return form.ok() && *form == Int8Form::kRangeOfInput;
}

}  // namespace

SensitiveReaders::SensitiveReaders() : search_(HandsOn, IsSensitive) {}

absl::string_view SensitiveReaders::Of(const Value& value) {
  const std::optional<Use> reader = search_.Find(value);
  return reader ? FindOp(OpName(*reader->user))->family : "";
}

absl::string_view SensitiveReader(const Value& value) {
  return SensitiveReaders().Of(value);
}

}  // namespace ns
