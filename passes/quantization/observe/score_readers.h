// Finds ops that take exponentials of values: softmaxes, and what models write
// out instead.
#ifndef PASSES_QUANTIZATION_OBSERVE_SCORE_READERS_H_
#define PASSES_QUANTIZATION_OBSERVE_SCORE_READERS_H_

#include "absl/strings/string_view.h"
#include "ir/graph/uses_behind.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Whether the op takes exponentials of its first input: softmax, log_softmax,
// logsumexp, logcumsumexp, exp, exp2, expm1.
bool TakesScores(absl::string_view op);

// Returns the short name of an op that takes exponentials of `value`, scores of
// attention or of classes; empty where there is none. A power of which `value`
// is the exponent counts, too. On the way the scores may be cast, moved,
// clamped, joined with others, chosen or filled in, negated, and multiplied and
// added up; and `value` may be a mask that is added to them, also one that
// attention takes as an argument. Control flow, containers and attributes are
// followed (ir/graph/uses_behind.h):
//
//   %r = prim::If(%p)
//     block0():
//       %s = aten::add(%v, %mask, %one)      "softmax" reads %v and %mask
//       -> (%s)
//     block1():
//       -> (%v)
//   %y = aten::softmax(%r, %dim, %none)
absl::string_view ScoreReader(const torch::jit::Value& value);

// ScoreReader of several values of one graph, which must not change in the
// meantime. For values without a reader, the total time is linear in the size
// of the graph.
class ScoreReaders {
 public:
  ScoreReaders();

  absl::string_view Of(const torch::jit::Value& value);

 private:
  UseSearch search_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_SCORE_READERS_H_
