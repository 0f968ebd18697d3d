// Makes the names of layers: of ops, by the modules that call them.
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
  // `nodes` has all matchable ops of the model. It need not outlive the object.
  explicit LayerNames(const MatchableNodes& nodes);

  // Returns the name of the op `op`, which the code of the module at `path`
  // calls. `op` is in full, as OpName (ir/graph/node_view.h) returns it:
  // "quantized::add_relu". The name is one of these:
  //
  //  * "layer1.0.conv1", the path alone, for a module of PyTorch
  //    (torch.nn.Conv2d, its quantized counterpart) that no module with ops is
  //    inside of, and for the call of a leaf module
  //    (ir/flatten/inline_modules.h);
  //  * "layer1.0.add_relu" for other ops: the path and the short name of the
  //    op, without "fbgemm_" and the underscore of an in-place op;
  //  * "add_relu" where the path is empty.
  //
  // Several ops may have the same name: see UniqueNames.
  std::string NameOf(const ModulePath& path, absl::string_view op) const;

 private:
  // The paths below which other modules hold matchable ops.
  absl::flat_hash_set<std::string> composites_;
};

// Makes names unique. Take("fc") returns "fc", then "fc@1", then "fc@2".
class UniqueNames {
 public:
  // `count` is about the number of names that will be taken.
  explicit UniqueNames(size_t count = 0) { next_.reserve(count); }

  // Returns `name` or, where that was returned before, `name` with a number
  // that makes it unique.
  std::string Take(const std::string& name);

 private:
  // True for a name that was made unique from another one.
  bool WasMade(absl::string_view name) const;

  // The number that the next repetition gets, by the name that was asked for.
  absl::flat_hash_map<std::string, int> next_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_LAYER_NAMES_H_
