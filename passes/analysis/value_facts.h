// Finds what is known of the values of a graph before it runs: which are
// quantized, to which dtype, with which scale and zero point, and how many
// dimensions they have.
#ifndef PASSES_ANALYSIS_VALUE_FACTS_H_
#define PASSES_ANALYSIS_VALUE_FACTS_H_

#include <memory>
#include <vector>

#include "ir/aliasing/tensor_writes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/analysis/tensor_facts.h"
#include "passes/ops/op_io_types.h"

namespace torch::jit {
struct Block;
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// One forward data-flow analysis of a flat graph (ir/model/model_graph.h), on
// the lattice of tensor_facts.h. It goes through ops, control flow, lists,
// tuples and views:
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
// Each value has two answers. *Sure* facts hold whenever the graph runs without
// an error: rewrites ask for them. *Likely* facts are for callers that must
// decide in any case, such as one that puts a cast in front of a shadow. They
// are guessed in two ways. The first arm of a prim::If, and the values that a
// loop begins with, stand for all. And a value of which nothing is known is
// taken to be quantized when an op uses it that takes only quantized tensors:
// to the dtype of the other operand or, when the graph does not tell that, to
// quint8. A sure fact is always likely, too.
//
// Nothing is sure of graph inputs, attributes and outputs of unknown ops; nor
// of tensors that an op in place may give another rank, dtype or scale (such as
// aten::unsqueeze_, aten::copy_), be it through a view, from inside of control
// flow, or by way of a list. Ops in place that only write elements change no
// fact.
//
// The facts of a list hold for each of its elements. A tuple has facts for each
// element.
//
// The analysis takes one sweep over the graph and, when there are loops or
// lists that are appended to, a bounded number of further ones. A question
// takes constant time. The facts of a value stay true while other parts of the
// graph are rewritten to nodes that compute the same; a rewrite calls Learn for
// new nodes.
class ValueFacts {
 public:
  // `io_types` has what users say of their own ops. `graph` is not changed.
  explicit ValueFacts(const torch::jit::Graph& graph, OpIoTypes io_types = {});

  // Return the facts of `value`. The facts of a tuple hold for all its
  // elements.
  TensorFacts Sure(const torch::jit::Value& value) const;
  TensorFacts Likely(const torch::jit::Value& value) const;

  bool IsSurelyQuantized(const torch::jit::Value& value) const {
    return Sure(value).is_quantized.Is(true);
  }
  bool IsLikelyQuantized(const torch::jit::Value& value) const {
    return Likely(value).is_quantized.Is(true);
  }

  // Returns an op that uses `value` and takes only quantized tensors: when it
  // runs, `value` is quantized. Null for none.
  const torch::jit::Node* TakerOfQuantized(
      const torch::jit::Value& value) const;

  // Whether an op in place may write to the elements of `value`, a tensor or a
  // list. A value that is newer than the analysis has writers only when Replace
  // put it in the place of a value that had some.
  bool HasWriters(const torch::jit::Value& value) const;

  // Computes the facts of the outputs of `node`, which is new or has changed,
  // from its inputs and, for control flow, from the outputs of its blocks.
  void Learn(const torch::jit::Node& node);

  // Says that `value` is surely quantized with `qparams`.
  void Set(const torch::jit::Value& value, const PerTensorQParams& qparams);

  // Says that `replacement` takes the place of `value`.
  void Replace(const torch::jit::Value& value,
               const torch::jit::Value& replacement);

  // Forgets the outputs of `node`, which is about to be destroyed: new values
  // may get their addresses.
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
  // The facts of a value. A tuple has one entry for each element, including
  // those of tuples in it, in order. Any other value has one entry.
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
  // Returns the facts that hold for all inputs of `node`.
  Facts OfAllInputs(const torch::jit::Node& node) const;

  // Return what is known of `value`: with the entries of its own type; with
  // `count` entries, those of another type; and as one entry for all.
  Elements Find(const torch::jit::Value& value) const;
  Elements FindAs(const torch::jit::Value& value, size_t count) const;
  Facts FindJoined(const torch::jit::Value& value) const;

  // Stores that `value` has the facts `elements`, without those that its
  // writers may change.
  void Note(const torch::jit::Value& value, Elements elements);
  void Adjust(const torch::jit::Value& value, Elements& elements);
  TensorFacts Guess(const torch::jit::Value& value, TensorFacts facts);
  Fact<c10::ScalarType> DtypeBeside(const torch::jit::Value& value,
                                    const torch::jit::Node& user);

  // Joins `others` into `elements`, which then hold for both. `others` are
  // values that come out of an inner block into `block`, or, when that is null,
  // of the same block.
  static void JoinInto(Elements& elements, const Elements& others,
                       const torch::jit::Block* block);

  OpIoTypes io_types_;
  // The facts of all values that have been learnt of.
  llvm::DenseMap<const torch::jit::Value*, Elements> facts_;

  // Tells which ops write to which values. Null for graphs without ops in
  // place.
  std::unique_ptr<TensorWrites> writes_;
  // The values that took the place of one with writers.
  llvm::DenseSet<const torch::jit::Value*> replaced_written_;
  // The values whose scale an op in place may change, and those in which it may
  // change anything.
  llvm::DenseSet<const torch::jit::Value*> rescaled_;
  llvm::DenseSet<const torch::jit::Value*> reshaped_;
  // Whether ops append to lists, or assign to their elements.
  bool has_list_writes_ = false;

  bool is_analysing_ = false;
  int sweeps_ = 0;
  // Whether this sweep changed a fact, and whether a change can matter to nodes
  // that were visited before it, so that another sweep is needed.
  bool has_news_ = false;
  bool needs_more_ = false;
  // Whether the analysis has given up on the values that loops carry and on
  // lists that are written to, and takes them as unknown.
  bool gives_up_ = false;
};

}  // namespace ns

#endif  // PASSES_ANALYSIS_VALUE_FACTS_H_
