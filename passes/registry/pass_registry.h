// Lists all passes by name.
#ifndef PASSES_REGISTRY_PASS_REGISTRY_H_
#define PASSES_REGISTRY_PASS_REGISTRY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/pass.h"
#include "passes/pipeline/pair_pass.h"
#include "passes/pipeline/pass_options.h"

namespace ns {

// A pass that can be made by name. One of `make` and `make_pair` is not null;
// both return an error for options that the pass does not take.
struct PassEntry {
  absl::string_view name;
  // What the pass does, in one line without a full stop; options are in braces.
  absl::string_view description;
  absl::StatusOr<std::unique_ptr<Pass>> (*make)(PassOptions& options);
  absl::StatusOr<std::unique_ptr<PairPass>> (*make_pair)(PassOptions& options);
};

// Returns the passes of this library, sorted by name.
absl::Span<const PassEntry> AllPasses();

}  // namespace ns

#endif  // PASSES_REGISTRY_PASS_REGISTRY_H_
