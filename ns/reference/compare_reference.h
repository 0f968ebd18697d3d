// Compares a quantized model with values that were saved elsewhere: those of
// another runtime, of a device, or of an earlier run.
#ifndef NS_REFERENCE_COMPARE_REFERENCE_H_
#define NS_REFERENCE_COMPARE_REFERENCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"

namespace ns {

// Does what CompareModels does with activations, but for one thing: the float
// model does not run. What it would have made of the batches is in `directory`,
// by the names of the layers (reference_files.h). Matches, weights and coverage
// are those of both models; figures of activations are of the saved values (x)
// against what the quantized model makes of `batches` (y). Memory holds one
// batch and what the quantized model makes of it in layers that have values.
//
// Layers without figures, and values that no layer has, are in
// ComparisonResult::not_referenced and in the warnings.
//
// Shadows, kernels, emulation, saved activations and outputs
// (CompareOptions::see_outputs) need the float model, or other runs: they are
// not looked at in `options`.
//
// Errors: those of CompareModels; a folder or file that cannot be read or is
// damaged; values of no layer, or none of the right shape.
absl::StatusOr<ComparisonResult> CompareWithReference(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const BatchReader& batches, const std::string& directory,
    const CompareOptions& options = {});

}  // namespace ns

#endif  // NS_REFERENCE_COMPARE_REFERENCE_H_
