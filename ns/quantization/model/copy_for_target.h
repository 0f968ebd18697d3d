// Lets a quantized model compute here what it will compute where it is served.
#ifndef NS_QUANTIZATION_MODEL_COPY_FOR_TARGET_H_
#define NS_QUANTIZATION_MODEL_COPY_FOR_TARGET_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/model/quantize_options.h"

namespace ns {

// Returns a copy of `quantized`, which was made with `options`, whose quantized
// layers compute what fbgemm does on the target, whatever processor this is:
// LibTorch's engines saturate on one without VNNI where the target may not, and
// the other way round. For kNs, roundings are dropped, too (DropRoundings).
// Layers without an ns kernel stay as they are. The copy is a plain one, which
// computes what LibTorch does on this processor, when options.backend is
// neither fbgemm nor x86; in other modes than kStatic, whose dynamic ops have 7
// bits and cannot saturate; and with options.compat or options.reference.
// Errors: those of LowerToFbgemm and DropRoundings.
absl::StatusOr<ModelGraph> CopyForTarget(const ModelGraph& quantized,
                                         const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_COPY_FOR_TARGET_H_
