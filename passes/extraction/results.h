// What the numeric suite gathers: the nested result type of PyTorch's.
#ifndef PASSES_EXTRACTION_RESULTS_H_
#define PASSES_EXTRACTION_RESULTS_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "passes/instrument/logger_info.h"

namespace ns {

// One logger's or one weight's record (reference: NSSingleResultType).
struct SingleResult {
  // Weights: one tensor. Loggers: one tensor a call, as logged (quantized
  // tensors stay quantized).
  std::vector<at::Tensor> values;
  // Where it comes from. `info.type` is kWeightResult for weights.
  LoggerInfo info;
  // For weights: "weight", "weight_ih_l0", ...
  std::string parameter;
  // Comparisons with the other model's record, by name ("sqnr"), one number
  // for each of `values`. Filled by ExtendLoggerResultsWithComparison.
  std::map<std::string, std::vector<double>> comparisons;
};

// model name -> records, inputs in order of index_of_arg, then
// index_within_arg.
using ResultsByModel = std::map<std::string, std::vector<SingleResult>>;
// kWeightResult, kNodeOutputResult or kNodeInputResult -> ...
using ResultsByType = std::map<std::string, ResultsByModel>;

// layer -> type -> model -> records, layers in order of execution (reference:
// NSResultsType).
class Results {
 public:
  using Layer = std::pair<std::string, ResultsByType>;

  // The layer called `name`, added at the end when there is none.
  ResultsByType& operator[](const std::string& name);

  // Null when there is none.
  const ResultsByType* Find(const std::string& name) const;

  const std::vector<Layer>& layers() const { return layers_; }
  std::vector<Layer>& layers() { return layers_; }

 private:
  std::vector<Layer> layers_;
  std::map<std::string, size_t> index_;
};

}  // namespace ns

#endif  // PASSES_EXTRACTION_RESULTS_H_
