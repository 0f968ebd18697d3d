// Compares on a second data set, beside the first one.
#ifndef NS_COMPARE_SECOND_DATA_H_
#define NS_COMPARE_SECOND_DATA_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/load_pair.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"

namespace ns {

// Batches unlike those of calibration, such as real ones where these are only
// representative.
struct SecondInputs {
  // Not owned. Null for none.
  const BatchReader* batches = nullptr;
  // The files that they come from, for ComparisonResult::second_data.
  std::vector<std::string> paths;
};

// Compares the activations of `models` on `inputs`, which has batches, and adds
// them to `result`, which is what CompareModels made of `models` with the same
// `options` on other batches. Of `options`, all that says how models run and
// match holds here, too; weights, shadows, kernels, files and callbacks but for
// `progress` are of the first data set alone. What is to be warned of on the
// second data set alone is added to the warnings.
//
// Errors: those of CompareModels, which name the second data set.
absl::Status CompareOnSecondData(const ModelPair& models,
                                 const SecondInputs& inputs,
                                 const CompareOptions& options,
                                 ComparisonResult& result);

}  // namespace ns

#endif  // NS_COMPARE_SECOND_DATA_H_
