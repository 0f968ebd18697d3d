#include "passes/matching/op_likeness.h"

#include <ATen/core/function_schema.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "ir/graph/node_view.h"
#include "passes/matching/value_keeping.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

using Ops = absl::InlinedVector<const Node*, 4>;

// Returns the constant `value`; absent for a tensor, and for what only a run
// tells.
std::optional<c10::IValue> PlainConstant(const Value* value) {
  if (value == nullptr || IsTensor(*value)) {
    return std::nullopt;
  }
  if (std::optional<c10::IValue> constant = ConstantOf(*value)) {
    return constant;
  }
  // Sizes are mostly a list of constants.
  const Node& list = *value->node();
  if (list.kind() != c10::prim::ListConstruct ||
      value->type()->containedTypeSize() != 1 ||
      value->type()->containedType(0)->kind() != c10::TypeKind::IntType ||
      IsWrittenTo(*value)) {
    return std::nullopt;
  }
  c10::List<int64_t> elements;
  for (const Value* input : list.inputs()) {
    const std::optional<c10::IValue> element = ConstantOf(*input);
    if (!element || !element->isInt()) {
      return std::nullopt;
    }
    elements.push_back(element->toInt());
  }
  return elements;
}

std::optional<double> RealNumber(const c10::IValue& value) {
  return value.isInt()      ? std::optional(static_cast<double>(value.toInt()))
         : value.isDouble() ? std::optional(value.toDouble())
         : value.isBool()   ? std::optional(value.toBool() ? 1.0 : 0.0)
                            : std::nullopt;
}

// Whether they are numbers or lists of integers, or one is absent, and they
// differ. All nans are equal here.
bool Differ(const c10::IValue& a, const c10::IValue& b) {
  const std::optional<double> number_a = RealNumber(a);
  const std::optional<double> number_b = RealNumber(b);
  if (number_a && number_b) {
    return *number_a != *number_b &&
           !(std::isnan(*number_a) && std::isnan(*number_b));
  }
  if (a.isIntList() && b.isIntList()) {
    return a.toIntVector() != b.toIntVector();
  }
  return a.isNone() != b.isNone();
}

absl::string_view FamilyOf(const Node& node) {
  const absl::string_view op = OpName(node);
  const OpRow* row = FindOp(op);
  return row == nullptr ? op : row->family;
}

Ops OpsOf(absl::Span<const Source> way) {
  Ops ops;
  for (const Source& source : way) {
    const Node* node = source.value->node();
    if (!KeepsOrQuantizesValues(*node)) {
      ops.push_back(node);
    }
  }
  return ops;
}

}  // namespace

int CountOtherConstants(const Node& a, const Node& b) {
  const c10::FunctionSchema* schema = a.maybeSchema();
  if (schema == nullptr || b.maybeSchema() == nullptr) {
    return 0;
  }
  int count = 0;
  const size_t inputs = std::min(a.inputs().size(), schema->arguments().size());
  for (size_t i = 0; i < inputs; ++i) {
    const auto of_a = PlainConstant(a.input(i));
    if (!of_a) {
      continue;
    }
    const auto of_b =
        PlainConstant(InputNamed(b, schema->arguments()[i].name()));
    if (of_b && Differ(*of_a, *of_b)) {
      ++count;
    }
  }
  return count;
}

int CountOtherSteps(absl::Span<const Source> a, absl::Span<const Source> b) {
  const Ops ops_a = OpsOf(a);
  const Ops ops_b = OpsOf(b);
  const size_t both = std::min(ops_a.size(), ops_b.size());
  int count = static_cast<int>(std::max(ops_a.size(), ops_b.size()) - both);
  for (size_t i = 0; i < both; ++i) {
    if (FamilyOf(*ops_a[i]) != FamilyOf(*ops_b[i]) ||
        CountOtherConstants(*ops_a[i], *ops_b[i]) > 0) {
      ++count;
    }
  }
  return count;
}

}  // namespace ns
