// Graphs that fold-reference-quantization rewrites, in tests.
#ifndef TESTS_PASSES_LOWERING_FOLD_FOLDING_H_
#define TESTS_PASSES_LOWERING_FOLD_FOLDING_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>

#include "absl/strings/string_view.h"
#include "tests/testing/graph_with.h"

namespace ns {

// What tests share: numbers, and tensors that layers take. Scale and zero point
// are %s and %z for %q, %so and %z for %r, and %so and %zo for outputs.
GraphConstants Constants();

// Constants(), with `value` as the one called `name`.
GraphConstants With(const std::string& name, const c10::IValue& value);

// A graph whose arguments are all of Constants() and two tensors and a bool,
// %x, %y and %p: %0, %1 and %2 of its ShortIr.
std::string GraphText(absl::string_view body);

// `body` on two dequantized tensors, %d and %e, made from %q and %r: %3 and %4
// of its ShortIr, which starts with kOnQuantizedHead when `body` uses both.
std::string OnQuantized(absl::string_view body);
extern const char kOnQuantizedHead[];

// Weights, of ones.
at::Tensor PerTensor(at::IntArrayRef shape, c10::ScalarType type = at::kQInt8);
at::Tensor PerChannel(at::IntArrayRef shape, int64_t axis = 0);
// An embedding's: float zero points.
at::Tensor Rows(c10::ScalarType type);

// Fails the test unless the pass makes of the graph what `folded`, a ShortIr
// (tests/testing/short_ir.h), says, tells that it changed it, leaves it well
// formed, and changes nothing when it runs again.
void ExpectFolded(absl::string_view text, const GraphConstants& constants,
                  absl::string_view folded);

// Fails the test unless the pass leaves the graph as it was, and says of `op`
// that it stays for `reason`.
void ExpectKept(absl::string_view text, const GraphConstants& constants,
                absl::string_view op, absl::string_view reason);

// As ExpectKept of the first `op` alone, where other ops may be folded.
void ExpectReason(absl::string_view text, const GraphConstants& constants,
                  absl::string_view op, absl::string_view reason);

// As ExpectFolded and ExpectReason, for OnQuantized(body). `folded` is without
// kOnQuantizedHead, which is put in front of it.
void ExpectFoldedOnQuantized(absl::string_view body, absl::string_view folded,
                             const GraphConstants& constants = Constants());
void ExpectReasonOnQuantized(absl::string_view body, absl::string_view op,
                             absl::string_view reason,
                             const GraphConstants& constants = Constants());

}  // namespace ns

#endif  // TESTS_PASSES_LOWERING_FOLD_FOLDING_H_
