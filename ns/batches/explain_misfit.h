// Explains why a model fails on a batch that does not fit it.
#ifndef NS_BATCHES_EXPLAIN_MISFIT_H_
#define NS_BATCHES_EXPLAIN_MISFIT_H_

#include <string>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"

namespace ns {

// Returns what of `batch`, on which `model` failed, the first layer with a
// weight that reads it cannot take, and the line of Python that mends it:
//
//   x is uint8 [2, 3, 8, 8], and conv takes float32 [N, 3, H, W]; save
//   x.float(), scaled as in training
//
// It looks at convolutions, linear layers and embeddings that read an argument
// as it is, or through ops that observe or quantize it, in the file that the
// model was read from, or in `model` itself if it is of no file. Returns ""
// where the batch fits these, or none is found. `batch` is one that FitBatch
// has fitted.
std::string ExplainMisfit(const ModelGraph& model, const Batch& batch);

// Returns `failure`, the error of a run of `model` on `batch`, with that
// explanation, if there is one, before its message.
absl::Status WithMisfit(const absl::Status& failure, const ModelGraph& model,
                        const Batch& batch);

}  // namespace ns

#endif  // NS_BATCHES_EXPLAIN_MISFIT_H_
