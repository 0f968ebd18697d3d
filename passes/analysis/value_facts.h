// What the values of a graph hold: which are quantized, to which dtype, with
// which scale and zero point, and how many dimensions they have.
#ifndef PASSES_ANALYSIS_VALUE_FACTS_H_
#define PASSES_ANALYSIS_VALUE_FACTS_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/tensor_writes.h"
#include "passes/analysis/tensor_facts.h"
#include "passes/ops/op_io_types.h"

namespace torch::jit {
struct Block;
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// One forward data-flow analysis of a flat graph (ir/model_graph.h), on the
// lattice of tensor_facts.h. It goes through ops, control flow, lists, tuples
// and views:
//
//   %q = aten::quantize_per_tensor(%x, 0.1, 3, 13)   quint8, 0.1, 3
//   %y = prim::If(%p)                                quint8, 0.1, 3
//     block0():
//       %f = aten::flatten(%q, 1, -1)                quint8, 0.1, 3; rank 2
//       -> (%f)
//     block1():
//       -> (%q)
//   %d = aten::dequantize(%y)                        float
//
// Each value has two answers. What is *sure* holds whenever the graph runs
// without an error: a rewrite asks for it. What is *likely* is for those who
// must decide something, such as a cast in front of a shadow: it takes the
// first arm of a prim::If and what a loop begins with for the whole, and
// believes that a value of which nothing is known is quantized where an op
// takes it that takes nothing else: to the dtype of the other operand or, where
// the graph does not tell that, to quint8. What is sure is always likely.
//
// Nothing is sure of graph inputs, attributes and what unknown ops give; and of
// tensors that an op in place may give another rank, dtype or scale (such as
// aten::unsqueeze_, aten::copy_), through a view, from inside of control flow,
// or by way of a list. Ops in place that write elements alone change no fact.
//
// Of a list the facts hold for each element, of a tuple element by element.
//
// Analysing takes one sweep over the graph and, where there are loops or lists
// that are appended to, a few more, whose number is bounded. A question takes
// constant time. Facts of values stay true while other parts of the graph are
// rewritten to what computes the same; a rewrite lets them learn of new nodes.
class ValueFacts {
 public:
  // `io_types` tells what ops of the user's take and give. `graph` is not
  // changed.
  explicit ValueFacts(const torch::jit::Graph& graph, OpIoTypes io_types = {});

  // Of a tuple, what holds for all its elements.
  TensorFacts Sure(const torch::jit::Value& value) const;
  TensorFacts Likely(const torch::jit::Value& value) const;

  bool IsSurelyQuantized(const torch::jit::Value& value) const {
    return Sure(value).is_quantized.Is(true);
  }
  bool IsLikelyQuantized(const torch::jit::Value& value) const {
    return Likely(value).is_quantized.Is(true);
  }

  // Whether an op takes `value` that takes no tensor but quantized ones: where
  // that op runs, `value` is quantized.
  bool IsTakenAsQuantized(const torch::jit::Value& value) const;

  // Whether an op in place may write to the elements of `value`, a tensor or a
  // list. Of values that are newer than the analysis, only those have writers
  // that Replace told of.
  bool HasWriters(const torch::jit::Value& value) const;

  // Learns of the outputs of `node`, which is new or has changed, from its
  // inputs and, of control flow, from what its blocks give.
  void Learn(const torch::jit::Node& node);

  // Says that `value` is surely quantized like that.
  void Set(const torch::jit::Value& value, const PerTensorQParams& qparams);

  // Says that `replacement` takes the place of `value`.
  void Replace(const torch::jit::Value& value,
               const torch::jit::Value& replacement);

  // Forgets the outputs of `node`, which goes: other values may come to lie
  // where they were.
  void Forget(const torch::jit::Node& node);

 private:
  struct Facts {
    TensorFacts sure;
    TensorFacts likely;

    static Facts Both(const TensorFacts& facts) { return {facts, facts}; }
    bool operator==(const Facts& other) const {
      return sure == other.sure && likely == other.likely;
    }
  };
  // The facts of a value, one for each element of a tuple, and of tuples in
  // it, in order; one for all other values.
  using Elements = std::vector<Facts>;

  void FindRewritten(const torch::jit::Graph& graph);
  void Analyse(const torch::jit::Graph& graph);
  void Sweep(const torch::jit::Block& block);
  void LearnParameters(const torch::jit::Node& loop);
  void LearnWrites(const torch::jit::Node& node);

  Elements OutputOf(const torch::jit::Node& node, size_t index) const;
  Elements OutputOfLoop(const torch::jit::Node& node, size_t index) const;
  Elements OutputOfTuple(const torch::jit::Node& node, size_t index) const;
  Facts OutputOfOp(const torch::jit::Node& node, size_t index) const;
  Facts OfAllInputs(const torch::jit::Node& node) const;

  // What is known of `value`: by its own type; by a type of `count` elements;
  // as one, for all elements.
  Elements Find(const torch::jit::Value& value) const;
  Elements FindAs(const torch::jit::Value& value, size_t count) const;
  Facts FindJoined(const torch::jit::Value& value) const;

  // Says that `value` holds `elements`, as far as its writers let it.
  void Note(const torch::jit::Value& value, Elements elements);
  void Adjust(const torch::jit::Value& value, Elements& elements);
  TensorFacts Guess(const torch::jit::Value& value, TensorFacts facts);
  Fact<c10::ScalarType> DtypeBeside(const torch::jit::Value& value,
                                    const torch::jit::Node& user);

  // Lets `elements` hold for `others`, too, which come out into `block`; null
  // where they are of the same block.
  static void JoinInto(Elements& elements, const Elements& others,
                       const torch::jit::Block* block);

  OpIoTypes io_types_;
  absl::flat_hash_map<const torch::jit::Value*, Elements> facts_;

  // Null for graphs without ops in place.
  std::unique_ptr<TensorWrites> writes_;
  // Values that took the place of one with writers.
  absl::flat_hash_set<const torch::jit::Value*> replaced_written_;
  // Values whose scale an op in place may change, and those of which it may
  // change anything.
  absl::flat_hash_set<const torch::jit::Value*> rescaled_;
  absl::flat_hash_set<const torch::jit::Value*> reshaped_;
  // Whether ops append to lists, or assign to their elements.
  bool has_list_writes_ = false;

  bool is_analysing_ = false;
  int sweeps_ = 0;
  // Whether this sweep changed a fact, and whether another may then be needed.
  bool has_news_ = false;
  bool needs_more_ = false;
  // Whether what loops carry, and lists that are written to, are given up.
  bool gives_up_ = false;
};

}  // namespace ns

#endif  // PASSES_ANALYSIS_VALUE_FACTS_H_
