// What the values of a quantized graph hold.
#ifndef PASSES_ANALYSIS_HELD_CODES_H_
#define PASSES_ANALYSIS_HELD_CODES_H_

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

enum class Held {
  kUnknown,     // the graph does not tell
  kFloat,       // or anything else that is not quantized
  kQuint8,      // codes of 8 bits without a sign, with one scale
  kCodes,       // codes, and the graph does not tell of which type
  kOtherCodes,  // other types, or a scale for each channel
  kMixed,       // not the same in all arms of a prim::If, or on all trips
};

// What `value` holds, from the ops that it is made by, on every way through
// control flow. Quantized layers and our ops give quint8; ops that take either
// dtype hold what their first data input holds. The graph does not tell of its
// inputs, elements of tuples, and what ops outside the op table give.
Held HeldBy(const torch::jit::Value& value);

}  // namespace ns

#endif  // PASSES_ANALYSIS_HELD_CODES_H_
