// Finds, by a run, concatenations whose inputs one scale does not fit.
#ifndef NS_QUANTIZATION_MODEL_FIND_UNBALANCED_PARTS_H_
#define NS_QUANTIZATION_MODEL_FIND_UNBALANCED_PARTS_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "passes/quantization/observe/unbalanced_parts.h"

namespace ns {

// Runs the float model that `prepared`, a calibrated model, was made of on the
// last batches, at most 8, one in memory at a time. Looks at each concatenation
// and stack that is to run in int8. With S the scale that the range of all its
// inputs needs, and s the scale that one input needs:
//
//  * the op is `lost` if for one input S is at least 16 s, and values of that
//    input rounded to multiples of S have an error of more than a hundredth of
//    their variance (20 dB);
//  * otherwise a concatenation has `own_ranges` if the scale that its output
//    would have, which it may share with further values, is at least 4 s for
//    one input. Requantizing an input adds then at most a sixteenth to the
//    rounding noise.
//
// Inputs without an error at the scale of the output, such as zeros, and values
// that are not finite do not count. A model without such ops does not run. The
// result is for QuantizeOptions::parts. Errors: a model that is not prepared; a
// batch that cannot be read or does not fit the model.
absl::StatusOr<UnbalancedParts> FindUnbalancedParts(const ModelGraph& prepared,
                                                    const BatchReader& batches);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_FIND_UNBALANCED_PARTS_H_
