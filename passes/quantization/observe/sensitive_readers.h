// Finds ops that make large errors of small ones.
#ifndef PASSES_QUANTIZATION_OBSERVE_SENSITIVE_READERS_H_
#define PASSES_QUANTIZATION_OBSERVE_SENSITIVE_READERS_H_

#include "absl/strings/string_view.h"
#include "ir/graph/uses_behind.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns the short name of an op that reads `value` and must not get it
// rounded to 8 bits: near zero, a step changes what it gives without a bound
// (div by it, log, pow with an exponent below 1, reciprocal, rsqrt, sqrt), or a
// step may be no small part of a period (cos, sin). The value may be moved,
// joined with others, clamped or pooled, summed up, averaged, and added to or
// multiplied by constants on the way; products may be added to and subtracted
// from each other, as in sqrt(a * a + b * b). Control flow, containers and
// attributes are followed (ir/graph/uses_behind.h):
//
//   %v = aten::mean(%squares, ...)
//   %e = aten::add(%v, %eps, %one)      "rsqrt" reads both
//   %r = aten::rsqrt(%e)
//
// Empty where there is none.
absl::string_view SensitiveReader(const torch::jit::Value& value);

// SensitiveReader of several values of one graph, which must not change in the
// meantime. For values without a reader, the total time is linear in the size
// of the graph.
class SensitiveReaders {
 public:
  SensitiveReaders();

  absl::string_view Of(const torch::jit::Value& value);

 private:
  UseSearch search_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_SENSITIVE_READERS_H_
