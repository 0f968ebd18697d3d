// How much of a model is quantized, and why the rest is not, as plain data.
#ifndef NS_RESULT_COVERAGE_H_
#define NS_RESULT_COVERAGE_H_

#include <string>
#include <vector>

namespace ns {

// In what a layer of the quantized model computes.
enum class RunsIn {
  kInt8,         // an int8 op, embeddings too, or one on quantized values
  kInt8Weights,  // floats; its weight has 8 bits or fewer: dynamic layers
  kHalfWeights,  // floats; its weight is float16
  kFloat,
};

// Returns "int8", "int8 weights", "float16 weights" or "float".
const char* RunsInName(RunsIn runs_in);

// A layer that computes in float.
struct StayedFloat {
  std::string name;
  // The op of the quantized model, "aten::softmax".
  std::string op;
  // Why, as text: there is no int8 op or kernel for it, an argument of the call
  // rules that out, its inputs are float, they are dequantized for it, or the
  // table of ops does not have it.
  std::string reason;
};

// Values that are dequantized and quantized again with the same scale, zero
// point and dtype: both can go.
struct CancellingPair {
  // The path of the module that dequantizes, and of the one that quantizes;
  // with the short op behind it: "dequant.dequantize".
  std::string dequantize;
  std::string quantize;
};

struct Coverage {
  std::vector<StayedFloat> stayed_float;
  std::vector<CancellingPair> cancelling_pairs;
  // Paths of modules that pack a weight each time the model runs, with the
  // short op behind them: "fc.linear_prepack".
  std::vector<std::string> packs_at_run_time;
};

}  // namespace ns

#endif  // NS_RESULT_COVERAGE_H_
