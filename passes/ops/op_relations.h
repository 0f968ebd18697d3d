// Which ops are the same mathematical operation in different numeric flavours.
#ifndef PASSES_OPS_OP_RELATIONS_H_
#define PASSES_OPS_OP_RELATIONS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Related ops by the name of their family, "relu". Ops are written as in
// OpRelations::AddOpToSetsOfRelatedOps.
using SetsOfRelatedOps = std::map<std::string, std::set<std::string>>;

// The op table's families, plus what the user adds, or families of the user's
// in their place.
class OpRelations {
 public:
  OpRelations() = default;

  // The relations of `sets` alone, in place of the built-in ones (reference:
  // base_name_to_sets_of_related_ops). An op of no set is a family of its own.
  //
  // A host that only changes some sets takes the others as they are:
  //
  //   SetsOfRelatedOps sets = OpRelations().BaseNameToSetsOfRelatedOps();
  //   sets["hardtanh"].erase("aten::clamp");
  //   NS_ASSIGN_OR_RETURN(options.relations, OpRelations::FromSets(sets));
  //
  // What is taken into subgraphs goes by the names of families
  // (fusion_patterns.h): a relu is fused with the convolution before it where
  // its family is called "relu". Errors: an operator that this process does not
  // know, an op in two sets, an empty name.
  static absl::StatusOr<OpRelations> FromSets(const SetsOfRelatedOps& sets);

  // All families that have a name: those of the op table, and what was added
  // (reference: get_base_name_to_sets_of_related_ops).
  SetsOfRelatedOps BaseNameToSetsOfRelatedOps() const;

  // Relates `op` to `related_op` and to all that it is related to; without
  // `related_op`, makes `op` a family of its own. Either is an operator,
  // "aten::relu", or the type of a leaf module or the name of a leaf function
  // (ir/inline_modules.h), "my.package.Block" or "Block". Errors: an operator
  // that this process does not know, or an `op` that has relations already
  // which do not include `related_op`'s.
  absl::Status AddOpToSetsOfRelatedOps(
      absl::string_view op, std::optional<std::string> related_op = {});

  // The family of `op`; for an op outside the table, its own name without the
  // underscore of in-place forms; for a leaf module or function, the last part
  // of its name. The view lives as long as the process or, for
  // families that the user added, as this object.
  absl::string_view FamilyOf(absl::string_view op) const;

  // As above for the op of `node`, where aten::_convolution, which tracing
  // makes of every convolution, is told apart by its arguments.
  absl::string_view FamilyOf(const torch::jit::Node& node) const;

  // The module types and functions that the user named, on either side of a
  // relation, in order of their names.
  std::vector<std::string> RelatedCallees() const;

 private:
  absl::string_view FamilyOfCallee(absl::string_view name) const;

  // Whether the op table's families hold where the user's do not.
  bool has_built_in_ = true;
  std::set<std::string> related_callees_;
  // Op to family. Nodes stay where they are: views of them are handed out.
  absl::node_hash_map<std::string, std::string> user_families_;
};

}  // namespace ns

#endif  // PASSES_OPS_OP_RELATIONS_H_
