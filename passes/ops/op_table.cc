#include "passes/ops/op_table.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "passes/ops/op_families.h"

namespace ns {
namespace {

absl::string_view FamilyOfActivation(FinalActivation activation) {
  switch (activation) {
    case FinalActivation::kRelu:
      return "relu";
    case FinalActivation::kHardtanh:
      return "hardtanh";
    case FinalActivation::kLeakyRelu:
      return "leaky_relu";
    case FinalActivation::kTanh:
      return "tanh";
    case FinalActivation::kNone:
      break;
  }
  return "";
}

OpRow RowOf(const OpFamily& family, const FamilyOp& spelling) {
  OpRow row;
  row.op = spelling.op;
  row.family = family.name;
  row.numerics = spelling.numerics;
  row.role = family.facts.role;
  row.fused_activation = FamilyOfActivation(spelling.fused_activation);
  if (spelling.has_family_weight) {
    const WeightPlace& weight = IsQuantizedOp(row)
                                    ? family.facts.quantized_weight
                                    : family.facts.float_weight;
    row.weight_form = weight.form;
    row.weight_input =
        spelling.weight_input >= 0 ? spelling.weight_input : weight.input;
  }
  row.other_outputs = family.facts.other_outputs;
  row.spelling = &spelling;
  row.family_row = &family;
  return row;
}

std::vector<OpRow> MakeRows() {
  std::vector<OpRow> rows;
  for (const OpFamily& family : OpFamilies()) {
    for (const FamilyOp& spelling : OpsOf(family)) {
      rows.push_back(RowOf(family, spelling));
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const OpRow& a, const OpRow& b) { return a.op < b.op; });
  return rows;
}

const OpRow* FindExactly(absl::string_view op) {
  // A hash map, because every node of a model is looked up, some several times.
  static const auto& rows = *[] {
    auto* rows = new absl::flat_hash_map<absl::string_view, const OpRow*>;
    for (const OpRow& row : OpTable()) {
      rows->emplace(row.op, &row);
    }
    return rows;
  }();
  const auto it = rows.find(op);
  return it == rows.end() ? nullptr : it->second;
}

}  // namespace

absl::Span<const OpRow> OpTable() {
  static const auto& rows = *new std::vector<OpRow>(MakeRows());
  return rows;
}

const OpRow* FindOp(absl::string_view op) {
  if (const OpRow* row = FindExactly(op)) {
    return row;
  }
  return absl::ConsumeSuffix(&op, "_") ? FindExactly(op) : nullptr;
}

bool IsElementwise(const OpRow& row) {
  const FamilyFacts& facts = row.family_row->facts;
  return row.role == Role::kQuantize || row.role == Role::kDequantize ||
         row.role == Role::kObserve || facts.is_activation ||
         facts.is_elementwise;
}

const QuantizedRange* FixedRangeOf(const OpRow& row) {
  const QuantizedRange& range = row.family_row->facts.range;
  return row.numerics == Numerics::kEither &&
                 range.kind == QuantizedRange::Kind::kFixed
             ? &range
             : nullptr;
}

absl::string_view FloatOpOf(const OpRow& row) {
  // op_families_test checks that families have one, and that it comes first.
  return row.spelling->float_op.empty() ? OpsOf(*row.family_row).front().op
                                        : row.spelling->float_op;
}

bool IsLoweredOp(absl::string_view op) {
  return absl::StartsWith(op, "ns::fbgemm_");
}

bool TakesInt8(Numerics numerics) {
  return numerics == Numerics::kInt8 || numerics == Numerics::kInt8ToFloat;
}

bool IsQuantizedOp(const OpRow& row) {
  switch (row.numerics) {
    case Numerics::kInt8:
    case Numerics::kInt8ToFloat:
    case Numerics::kDynamic:
    case Numerics::kFp16:
      return true;
    case Numerics::kFloat:
    case Numerics::kEither:
      return false;
  }
  return false;
}

}  // namespace ns
