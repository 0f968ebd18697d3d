#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>

#include "absl/strings/string_view.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/op_facts.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// What the family alone tells of the rank of the output of an op whose first
// input has `rank` dimensions or more.
int RankByFamily(const OpRow& row, int rank) {
  switch (row.family_row->facts.rank) {
    case OutputRank::kUnknown:
      return 0;
    case OutputRank::kAsInput:
      return rank;
    case OutputRank::kTwoOrMore:
      return std::max(rank, 2);
    case OutputRank::kThreeOrMore:
      return std::max(rank, 3);
    case OutputRank::kThreeInInt8:
      // LibTorch's ops of quantized tensors take batches only; ns kernels do
      // not.
      return std::max(
          rank,
          row.numerics == Numerics::kInt8 && !IsLoweredOp(row.op) ? 3 : 2);
  }
  return 0;
}

std::optional<int64_t> ConstantInt(const Value* value) {
  const auto constant = value == nullptr ? std::nullopt : ConstantOf(*value);
  return constant && constant->isInt() ? std::make_optional(constant->toInt())
                                       : std::nullopt;
}

// Returns how many elements a list always has; nothing when only a run tells.
std::optional<int> LengthOf(const Value* list) {
  if (list == nullptr) {
    return std::nullopt;
  }
  if (const auto constant = ConstantOf(*list)) {
    return constant->isList() ? std::make_optional<int>(static_cast<int>(
                                    constant->toListRef().size()))
                              : std::nullopt;
  }
  return list->node()->kind() == c10::prim::ListConstruct && !IsWrittenTo(*list)
             ? std::make_optional<int>(
                   static_cast<int>(list->node()->inputs().size()))
             : std::nullopt;
}

// Returns the least rank of the output of an op that reduces some of the
// dimensions of its input, which has `rank` or more.
int RankOfReduction(const Node& node, int rank) {
  if (IsArgumentTrue(node, "keepdim")) {
    return rank;
  }
  const std::optional<int> reduced = LengthOf(InputNamed(node, "dim"));
  // An empty list of dimensions means all of them.
  return reduced && *reduced > 0 ? rank - *reduced : 0;
}

// Returns the least rank of the output of an op that changes the number of
// dimensions of its input, which has `rank` or more. Nothing for other ops.
std::optional<int> RankOfView(const Node& node, const OpRow& row, int rank,
                              FactsOfInput facts_of) {
  const absl::string_view family = row.family;
  if (family == "view" || family == "reshape") {
    return LengthOf(InputNamed(node, "size") != nullptr
                        ? InputNamed(node, "size")
                        : InputNamed(node, "shape"))
        .value_or(0);
  }
  if (family == "view_as" || family == "reshape_as") {
    return facts_of(*node.input(1)).least_rank;
  }
  if (family == "flatten") {
    const auto start = ConstantInt(InputNamed(node, "start_dim"));
    return start && *start >= 0 ? static_cast<int>(*start) + 1 : 1;
  }
  if (node.kind() == c10::aten::linear) {
    // A weight with one dimension turns each row into a number.
    return facts_of(*node.input(1)).least_rank >= 2 ? rank : rank - 1;
  }
  if (family == "select" || family == "unbind") {
    return rank - 1;
  }
  if (family == "unsqueeze" || family == "stack") {
    return rank + 1;
  }
  if (family == "squeeze") {
    return InputNamed(node, "dim") == nullptr ? 0 : rank - 1;
  }
  if (family == "mean") {
    return RankOfReduction(node, rank);
  }
  return std::nullopt;
}

// Returns the highest rank of the tensors that `node` takes: the others are
// broadcast to it.
int HighestRank(const Node& node, FactsOfInput facts_of) {
  int highest = 0;
  for (const Value* input : node.inputs()) {
    if (IsTensor(*input)) {
      highest = std::max(highest, facts_of(*input).least_rank);
    }
  }
  return highest;
}

}  // namespace

int LeastRankOfOutput(const Node& node, size_t index, FactsOfInput facts_of) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr || node.inputs().empty()) {
    return 0;
  }
  const Value& input = *node.input(0);
  const bool is_of_tensors = IsTensor(input) || IsTensorList(input);
  const int rank = is_of_tensors ? facts_of(input).least_rank : 0;
  if (rank == TensorFacts::kNoTensor) {
    return rank;
  }
  if (const auto of_view = RankOfView(node, *row, rank, facts_of)) {
    return std::max(*of_view, 0);
  }
  if (row->family == "add" || row->family == "mul") {
    return HighestRank(node, facts_of);
  }
  // The outputs behind the first are of their own rank.
  return RankByFamily(*row, index == 0 ? rank : 0);
}

}  // namespace ns
