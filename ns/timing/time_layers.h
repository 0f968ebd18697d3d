// Measures how long each layer of two matched models takes.
#ifndef NS_TIMING_TIME_LAYERS_H_
#define NS_TIMING_TIME_LAYERS_H_

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/result/comparison_result.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Runs each model by itself on `batch`, in turns, for about a second each but
// at least three times, and sets the times of all layers
// (LayerComparison::time) and of the models (ComparisonResult::times). `result`
// has the layers of `matches`, in their order, and `matches` are those of these
// two objects, whose graphs and state are not changed.
//
// Each node is timed where it stands, with a stopwatch after it
// (passes/instrument/insert_timers.h). What the interpreter does between two
// nodes counts in the later one.
//
// Error: a batch that does not fit a model.
absl::Status TimeLayers(const ModelGraph& float_model,
                        const ModelGraph& quantized_model,
                        const MatchResult& matches, const Batch& batch,
                        ComparisonResult& result);

}  // namespace ns

#endif  // NS_TIMING_TIME_LAYERS_H_
