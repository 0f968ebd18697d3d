// Loads the two models of a comparison under a quantized engine that can run
// them.
#ifndef NS_COMPARE_LOAD_PAIR_H_
#define NS_COMPARE_LOAD_PAIR_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Without an engine, the first is taken that can load and run both models.
struct ModelPairOptions : LoadOptions {
  std::string float_path;
  std::string quantized_path;
};

struct ModelPair {
  ModelGraph float_model;
  ModelGraph quantized_model;
};

// Loads both models and calls `use` with them, under the engine of `options`,
// or under the first that can load and run them (WithEngine of engines.h): when
// `use` returns an engine error, it is called again under the next engine, with
// models loaded anew. Returns its last result or, where all engines fail, the
// error of the first.
absl::Status WithModels(const ModelPairOptions& options,
                        const std::function<absl::Status(ModelPair&)>& use);

}  // namespace ns

#endif  // NS_COMPARE_LOAD_PAIR_H_
