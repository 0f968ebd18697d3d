#include "passes/ops/op_relations.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/base/symbol_text.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_name.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// The family of aten::_convolution, whose name does not tell how many
// dimensions it has.
constexpr absl::string_view kConvolution = "convolution";

// Returns a copy of `text` that lives as long as the process.
absl::string_view Interned(absl::string_view text) {
  return UnqualifiedText(
      c10::Symbol::fromQualString(absl::StrCat("ns_family::", text)));
}

// Returns the family of an aten::_convolution, such as conv2d, from its stride
// and its transposed flag.
absl::string_view ConvolutionFamily(const Node& node) {
  static constexpr absl::string_view kFamilies[] = {
      "conv1d",           "conv2d",           "conv3d",
      "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};
  const std::optional<c10::IValue> steps = ConstantArgument(node, "stride");
  const std::optional<c10::IValue> flag = ConstantArgument(node, "transposed");
  if (!steps || !flag || !steps->isIntList() || !flag->isBool()) {
    return kConvolution;
  }
  const size_t dimensions = steps->toIntVector().size();
  return dimensions < 1 || dimensions > 3
             ? kConvolution
             : kFamilies[dimensions - 1 + (flag->toBool() ? 3 : 0)];
}

}  // namespace

absl::Status OpRelations::AddOpToSetsOfRelatedOps(
    absl::string_view op, std::optional<std::string> related_op) {
  if (!IsOperator(op) ? op.empty() : !IsKnownOperator(op)) {
    return UnknownOp(op);
  }
  std::string family(op);
  if (related_op) {
    if (IsOperator(*related_op) ? !IsKnownOperator(*related_op) &&
                                      !user_families_.contains(*related_op)
                                : related_op->empty()) {
      return UnknownOp(*related_op);
    }
    family = std::string(FamilyOf(*related_op));
    const absl::string_view known = FamilyOf(op);
    const bool has_relations =
        (has_built_in_ && FindOp(op) != nullptr) ||
        user_families_.contains(absl::StripSuffix(op, "_"));
    if (has_relations && known != family) {
      return absl::AlreadyExistsError(
          absl::StrCat(op, " is of family '", known, "' and ", *related_op,
                       " of '", family, "'; an op has one family"));
    }
  }
  for (const std::string& name :
       {std::string(op), related_op.value_or(std::string(op))}) {
    if (!IsOperator(name)) {
      related_callees_.insert(name);
    }
  }
  user_families_[std::string(absl::StripSuffix(op, "_"))] = family;
  return absl::OkStatus();
}

absl::StatusOr<OpRelations> OpRelations::FromSets(
    const SetsOfRelatedOps& sets) {
  OpRelations relations;
  relations.has_built_in_ = false;
  for (const auto& [base_name, ops] : sets) {
    if (base_name.empty()) {
      return absl::InvalidArgumentError(
          "a set of related ops has an empty name");
    }
    for (const std::string& op : ops) {
      if (IsOperator(op) ? !IsKnownOperator(op) : op.empty()) {
        return UnknownOp(op);
      }
      const auto [known, is_new] = relations.user_families_.try_emplace(
          absl::StripSuffix(op, "_"), base_name);
      if (!is_new && known->second != base_name) {
        return absl::InvalidArgumentError(
            absl::StrCat(op, " is in the sets '", known->second, "' and '",
                         base_name, "'; an op has one family"));
      }
      if (!IsOperator(op)) {
        relations.related_callees_.insert(op);
      }
    }
  }
  return relations;
}

SetsOfRelatedOps OpRelations::BaseNameToSetsOfRelatedOps() const {
  SetsOfRelatedOps sets;
  if (has_built_in_) {
    for (const OpRow& row : OpTable()) {
      sets[std::string(FamilyOf(row.op))].insert(std::string(row.op));
    }
  }
  for (const auto& [op, family] : user_families_) {
    sets[family].insert(op);
  }
  for (const std::string& callee : related_callees_) {
    sets[std::string(FamilyOf(callee))].insert(callee);
  }
  return sets;
}

absl::string_view OpRelations::FamilyOf(absl::string_view op) const {
  if (!user_families_.empty()) {
    const auto it = user_families_.find(absl::StripSuffix(op, "_"));
    if (it != user_families_.end()) {
      return it->second;
    }
  }
  if (!IsOperator(op)) {
    return FamilyOfCallee(op);
  }
  const OpRow* row = has_built_in_ ? FindOp(op) : nullptr;
  return row != nullptr ? row->family : Interned(absl::StripSuffix(op, "_"));
}

absl::string_view OpRelations::FamilyOfCallee(absl::string_view name) const {
  // In order of names, so that the answer is always the same.
  for (const std::string& related : related_callees_) {
    const auto it = user_families_.find(related);
    if (it != user_families_.end() && IsTypeNamed(name, related)) {
      return it->second;
    }
  }
  const size_t last_dot = name.rfind('.');
  return Interned(
      last_dot == absl::string_view::npos ? name : name.substr(last_dot + 1));
}

std::vector<std::string> OpRelations::RelatedCallees() const {
  return {related_callees_.begin(), related_callees_.end()};
}

absl::string_view OpRelations::FamilyOf(const Node& node) const {
  const absl::string_view family = FamilyOf(OpName(node));
  return family == kConvolution ? ConvolutionFamily(node) : family;
}

}  // namespace ns
