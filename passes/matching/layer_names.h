// Makes the names of matched ops.
#ifndef PASSES_MATCHING_LAYER_NAMES_H_
#define PASSES_MATCHING_LAYER_NAMES_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "passes/matching/matchable_nodes.h"

namespace ns {

// Names the ops of one model by their modules.
class LayerNames {
 public:
  explicit LayerNames(const MatchableNodes& nodes);

  // Returns the module's path where a library module (torch.nn.Conv2d, its
  // quantized counterpart) is the op; otherwise the path of the module whose
  // code calls the op, with the op's short name: "layer1.0.add_relu".
  std::string NameOf(const ModulePath& path, absl::string_view op) const;

 private:
  // The paths below which other modules hold matchable ops.
  absl::flat_hash_set<std::string> composites_;
};

// Makes names unique: "fc", "fc@1", "fc@2".
class UniqueNames {
 public:
  // `count` is about the number of names that will be taken.
  explicit UniqueNames(size_t count = 0) { next_.reserve(count); }

  std::string Take(const std::string& name);

 private:
  // True for a name that was made unique from another one.
  bool WasMade(absl::string_view name) const;

  // The number that the next repetition gets, by the name that was asked for.
  absl::flat_hash_map<std::string, int> next_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_LAYER_NAMES_H_
