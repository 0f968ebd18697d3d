// Makes pipelines from text.
#ifndef PASSES_REGISTRY_PARSE_PIPELINE_H_
#define PASSES_REGISTRY_PARSE_PIPELINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/pipeline/pair_pipeline.h"
#include "passes/registry/pass_registry.h"

namespace ns {

// Makes the passes that `text` names, which are among `passes`:
//
//   fold-reference-quantization,lower-to-fbgemm{numerics=fbgemm-avx2}
//
// Where there are two models, passes of one model run on the quantized one, or
// with {on=float} on the float one. Where there is one, `on` changes nothing.
// Error: text that is no list of passes, a name that is unknown, with the
// nearest one, or an option that its pass does not take.
absl::StatusOr<PairPipeline> ParsePipeline(
    absl::string_view text, absl::Span<const PassEntry> passes = AllPasses());

}  // namespace ns

#endif  // PASSES_REGISTRY_PARSE_PIPELINE_H_
