// Holds what the numeric suite gathers, in the nested form of PyTorch's suite.
#ifndef PASSES_EXTRACTION_RESULTS_H_
#define PASSES_EXTRACTION_RESULTS_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "passes/instrument/logger_info.h"

namespace ns {

// The record of one logger or one weight. (In PyTorch's suite it is
// NSSingleResultType.)
struct SingleResult {
  // For a weight, one tensor. For a logger, one tensor a call, as logged
  // (quantized tensors stay quantized).
  std::vector<at::Tensor> values;
  // Where the values come from. `info.type` is kWeightResult for weights.
  LoggerInfo info;
  // The name of a weight: "weight", "weight_ih_l0", ... Empty for loggers.
  std::string parameter;
  // The comparisons with the other model's record, by name ("sqnr"), one number
  // for each of `values`. ExtendLoggerResultsWithComparison fills it.
  std::map<std::string, std::vector<double>> comparisons;
};

// Maps a model's name to its records. Those of inputs are ordered by
// index_of_arg, then index_within_arg.
using ResultsByModel = std::map<std::string, std::vector<SingleResult>>;
// Maps kWeightResult, kNodeOutputResult or kNodeInputResult to records by
// model.
using ResultsByType = std::map<std::string, ResultsByModel>;

// Maps layer -> type -> model -> records, layers in order of execution. (In
// PyTorch's suite it is NSResultsType.)
class Results {
 public:
  using Layer = std::pair<std::string, ResultsByType>;

  // Returns the layer called `name`, added at the end when there is none. The
  // reference holds until the next layer is added.
  ResultsByType& operator[](const std::string& name);

  // Returns null when there is no such layer.
  const ResultsByType* Find(const std::string& name) const;

  const std::vector<Layer>& layers() const { return layers_; }
  // For changing records. Names and the number of layers must stay.
  std::vector<Layer>& layers() { return layers_; }

 private:
  std::vector<Layer> layers_;
  std::map<std::string, size_t> index_;
};

}  // namespace ns

#endif  // PASSES_EXTRACTION_RESULTS_H_
