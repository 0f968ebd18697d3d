#include "passes/op_relations.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/node_view.h"
#include "passes/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// The family of convolutions whose dimension the op's name does not tell.
constexpr absl::string_view kConvolution = "convolution";

bool IsKnownOp(absl::string_view op) {
  return FindOp(op) != nullptr ||
         !torch::jit::getAllOperatorsFor(
              c10::Symbol::fromQualString(std::string(op)))
              .empty();
}

absl::Status UnknownOp(absl::string_view op) {
  return absl::NotFoundError(absl::StrCat(
      "no operator '", op, "'; load the library that registers it first"));
}

// conv1d, conv2d, ... of an aten::_convolution, from its stride and its
// transposed flag.
std::string ConvolutionFamily(const Node& node) {
  const torch::jit::Value* stride = InputNamed(node, "stride");
  const torch::jit::Value* transposed = InputNamed(node, "transposed");
  if (stride == nullptr || transposed == nullptr) {
    return std::string(kConvolution);
  }
  const std::optional<c10::IValue> steps = ConstantOf(*stride);
  const std::optional<c10::IValue> flag = ConstantOf(*transposed);
  if (!steps || !flag || !steps->isIntList() || !flag->isBool()) {
    return std::string(kConvolution);
  }
  return absl::StrCat(flag->toBool() ? "conv_transpose" : "conv",
                      steps->toIntVector().size(), "d");
}

}  // namespace

absl::Status OpRelations::AddOpToSetsOfRelatedOps(
    absl::string_view op, std::optional<std::string> related_op) {
  if (!absl::StrContains(op, "::") || !IsKnownOp(op)) {
    return UnknownOp(op);
  }
  std::string family(op);
  if (related_op) {
    if (!absl::StrContains(*related_op, "::") ||
        (!IsKnownOp(*related_op) && !user_families_.contains(*related_op))) {
      return UnknownOp(*related_op);
    }
    family = FamilyOf(*related_op);
  }
  user_families_[std::string(absl::StripSuffix(op, "_"))] = family;
  return absl::OkStatus();
}

std::string OpRelations::FamilyOf(absl::string_view op) const {
  if (!user_families_.empty()) {
    const auto it = user_families_.find(absl::StripSuffix(op, "_"));
    if (it != user_families_.end()) {
      return it->second;
    }
  }
  const OpRow* row = FindOp(op);
  return std::string(row != nullptr ? row->family : absl::StripSuffix(op, "_"));
}

std::string OpRelations::FamilyOf(const Node& node) const {
  std::string family = FamilyOf(OpName(node));
  return family == kConvolution ? ConvolutionFamily(node) : family;
}

}  // namespace ns
