// Names matches by the names of one of the two models.
#ifndef PASSES_MATCHING_SIDE_NAMES_H_
#define PASSES_MATCHING_SIDE_NAMES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/matching/layer_names.h"
#include "passes/matching/matchable_nodes.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Names the matches of one model in order of execution, each after the matches
// whose values it takes.
class SideNames {
 public:
  // `count` is about the number of names that will be taken.
  SideNames(const MatchableNodes& nodes, size_t count)
      : names_(nodes), unique_(count) {}

  // Returns the name as LayerNames does; it is not unique yet.
  std::string NameOf(const ModulePath& path, absl::string_view op) const {
    return names_.NameOf(path, op);
  }

  // Returns the name of a node that quantizes `source`, for where the node's
  // own module gives none: "conv.quantize" behind the match "conv", with whose
  // name `source` was passed to Take; "triu.quantize" for a tensor that such an
  // op makes from no other; "x.quantize" for another value or input called "x".
  // It is not unique yet.
  std::string NameOfQuantized(const torch::jit::Value& source) const;

  // Returns `name`, made unique. Unless `output` is null, NameOfQuantized gives
  // that value this name from now on.
  std::string Take(const std::string& name, const torch::jit::Value* output);

 private:
  const LayerNames names_;
  UniqueNames unique_;
  llvm::DenseMap<const torch::jit::Value*, std::string> name_of_output_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_SIDE_NAMES_H_
