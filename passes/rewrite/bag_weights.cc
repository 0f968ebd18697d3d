#include "passes/rewrite/bag_weights.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// As in ATen/native/EmbeddingBag.h.
constexpr int64_t kSum = 0;
constexpr int64_t kMean = 1;

struct BagKind {
  bool is_mean = false;
  // The row that is left out, as the op is given it: negative ones count from
  // behind.
  std::optional<int64_t> padding;
};

absl::StatusOr<BagKind> KindOf(const Node& node) {
  BagKind kind;
  const auto mode = ConstantArgument(node, "mode");
  if (!mode || !mode->isInt()) {
    return Refusal("its mode is not constant");
  }
  if (mode->toInt() != kSum && mode->toInt() != kMean) {
    return Refusal("it takes the maximum of its rows; its kernel adds them up");
  }
  kind.is_mean = mode->toInt() == kMean;
  const Value* padding = InputNamed(node, "padding_idx");
  if (padding == nullptr || padding->mustBeNone()) {
    return kind;
  }
  const auto row = ConstantOf(*padding);
  if (!row || !row->isInt()) {
    return Refusal("its padding_idx is not constant");
  }
  kind.padding = row->toInt();
  return kind;
}

class Inserter {
 public:
  explicit Inserter(const Node& node)
      : graph_(*const_cast<Node&>(node).owningGraph()),
        indices_(InputNamed(node, "indices")),
        offsets_(InputNamed(node, "offsets")) {}

  // Returns a tensor that tells for each index whether it is not `padding`.
  absl::StatusOr<Value*> Kept(int64_t padding) const {
    return InsertOp(graph_, "aten::ne", {indices_, padding});
  }

  // Returns for each index 1 divided by the number of kept indices of its bag;
  // all are kept where `kept` is null. Its value for an index that is not kept
  // is finite.
  absl::StatusOr<Value*> Shares(Value* kept) const {
    NS_ASSIGN_OR_RETURN(Value * count,
                        InsertOp(graph_, "aten::numel", {indices_}));
    // With include_last_offset, this is the end of a bag without indices.
    NS_ASSIGN_OR_RETURN(
        Value * ends, InsertOp(graph_, "aten::constant_pad_nd",
                               {offsets_, std::vector<int64_t>{0, 1}, count}));
    NS_ASSIGN_OR_RETURN(Value * counts, InsertOp(graph_, "aten::diff", {ends}));
    Value* divisors = counts;
    if (kept != nullptr) {
      NS_ASSIGN_OR_RETURN(divisors, KeptCounts(kept, ends));
    }
    NS_ASSIGN_OR_RETURN(Value * shares,
                        InsertOp(graph_, "aten::reciprocal", {divisors}));
    return InsertOp(graph_, "aten::repeat_interleave", {shares, counts});
  }

 private:
  // Returns for each bag the number of its kept indices, or 1 for none.
  absl::StatusOr<Value*> KeptCounts(Value* kept, Value* ends) const {
    NS_ASSIGN_OR_RETURN(Value * sums,
                        InsertOp(graph_, "aten::cumsum", {kept, 0}));
    NS_ASSIGN_OR_RETURN(Value * before,
                        InsertOp(graph_, "aten::constant_pad_nd",
                                 {sums, std::vector<int64_t>{1, 0}, 0}));
    NS_ASSIGN_OR_RETURN(Value * at_ends, InsertOp(graph_, "aten::index_select",
                                                  {before, 0, ends}));
    NS_ASSIGN_OR_RETURN(Value * counts,
                        InsertOp(graph_, "aten::diff", {at_ends}));
    return InsertOp(graph_, "aten::clamp_min", {counts, 1});
  }

  torch::jit::Graph& graph_;
  Value* const indices_;
  Value* const offsets_;
};

}  // namespace

absl::Status CheckBagWeights(const Node& node) { return KindOf(node).status(); }

absl::StatusOr<Value*> InsertBagWeights(const Node& node, int64_t rows) {
  NS_ASSIGN_OR_RETURN(const BagKind kind, KindOf(node));
  torch::jit::Graph& graph = *const_cast<Node&>(node).owningGraph();
  const Inserter inserter(node);
  Value* kept = nullptr;
  if (kind.padding) {
    const int64_t row = *kind.padding + (*kind.padding < 0 ? rows : 0);
    NS_ASSIGN_OR_RETURN(kept, inserter.Kept(row));
  }
  Value* weights = InputNamed(node, "per_sample_weights");
  if (kind.is_mean) {
    NS_ASSIGN_OR_RETURN(weights, inserter.Shares(kept));
  }
  if (kept == nullptr) {
    return weights;
  }
  return weights->mustBeNone()
             ? InsertOp(graph, "aten::to",
                        {kept, static_cast<int64_t>(at::kFloat)})
             : InsertOp(graph, "aten::mul", {weights, kept});
}

}  // namespace ns
