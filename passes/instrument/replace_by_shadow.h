// Lets one layer of a quantized model compute in float, which shows what
// quantizing that layer costs the outputs of the model.
#ifndef PASSES_INSTRUMENT_REPLACE_BY_SHADOW_H_
#define PASSES_INSTRUMENT_REPLACE_BY_SHADOW_H_

#include <cstddef>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"

namespace ns {

// Inserts the shadow of match `index` (ShadowInserter) into the graph of
// `host`, and gives what it computes to all that use the layer. What takes
// floats gets it as it is, and what takes quantized values gets it rounded with
// the scale and zero point of the layer, as where `ns quantize` keeps a layer
// in float:
//
//   %q = quantized::linear(%x, %packed, %scale, %zero_point)
//   %r = quantized::leaky_relu(%q, ...)
//   %d = aten::dequantize(%q)
//   return (%r, %d)
// becomes
//   %float = ns::as_float(%x)
//   %shadow = aten::linear(%float, %weight, %bias)
//   %q = quantized::linear(%x, %packed, %scale, %zero_point)
//   %rounded = ns::quantized_like(%shadow, %q)
//   %r = quantized::leaky_relu(%rounded, ...)
//   return (%r, %shadow)
//
// `matches` are those of `source`, as A, with `host`, as B. A shadow that fails
// as the model runs ends the run.
//
// Error: a refusal (ir/base/refusal.h) for a quantize point, whose readers take
// nothing but quantized values, for outputs inside a list or a tuple, and where
// there can be no shadow. The graph is then as it was.
absl::Status ReplaceByShadow(const ModelGraph& source, ModelGraph& host,
                             const MatchResult& matches, size_t index,
                             const OpIoTypes& io_types = {});

}  // namespace ns

#endif  // PASSES_INSTRUMENT_REPLACE_BY_SHADOW_H_
