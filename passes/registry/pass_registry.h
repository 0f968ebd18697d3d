// Lists all passes by name.
#ifndef PASSES_REGISTRY_PASS_REGISTRY_H_
#define PASSES_REGISTRY_PASS_REGISTRY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/graph/pass.h"
#include "passes/pipeline/pair_pass.h"
#include "passes/pipeline/pass_options.h"

namespace ns {

// A pass that can be made by name.
struct PassEntry {
  absl::string_view name;
  // What the pass does, in one line without a full stop.
  absl::string_view description;
  // One of these two is not null. They get options that are among `options`.
  // Error: a text that is not what the option needs, such as no number.
  absl::StatusOr<std::unique_ptr<Pass>> (*make)(const PassOptions& options);
  absl::StatusOr<std::unique_ptr<PairPass>> (*make_pair)(
      const PassOptions& options);
  absl::Span<const PassOption> options = {};
};

// Returns the passes of this library, sorted by name.
absl::Span<const PassEntry> AllPasses();

}  // namespace ns

#endif  // PASSES_REGISTRY_PASS_REGISTRY_H_
