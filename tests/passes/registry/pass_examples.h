// Models that give a pass something to do, where random networks do not.
#ifndef TESTS_PASSES_REGISTRY_PASS_EXAMPLES_H_
#define TESTS_PASSES_REGISTRY_PASS_EXAMPLES_H_

#include <ATen/core/ivalue.h>

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/model/model_graph.h"

namespace ns {

struct PassExample {
  ModelGraph model;
  // What the model takes; empty for one that cannot run before the pass.
  std::vector<c10::IValue> inputs;
};

// Returns a new model that the pass with this name (PassEntry::name) changes;
// nothing for a pass of which random networks show enough.
std::optional<PassExample> ExampleFor(absl::string_view pass);

}  // namespace ns

#endif  // TESTS_PASSES_REGISTRY_PASS_EXAMPLES_H_
