// Tells which ops are the same mathematical operation in different numerics.
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

// The related ops, by the name of their family, "relu". Ops are written as in
// OpRelations::AddOpToSetsOfRelatedOps.
using SetsOfRelatedOps = std::map<std::string, std::set<std::string>>;

// The families of the op table and what the user adds to them, or the user's
// families instead of them.
class OpRelations {
 public:
  OpRelations() = default;

  // Returns the relations of `sets`, without the built-in ones (PyTorch's
  // numeric suite: base_name_to_sets_of_related_ops). An op of no set is a
  // family of its own.
  //
  // To change some sets and keep the others:
  //
  //   SetsOfRelatedOps sets = OpRelations().BaseNameToSetsOfRelatedOps();
  //   sets["hardtanh"].erase("aten::clamp");
  //   NS_ASSIGN_OR_RETURN(options.relations, OpRelations::FromSets(sets));
  //
  // Which ops become one subgraph depends on the names of families
  // (fusion_patterns.h): a relu is taken together with the convolution in front
  // of it only when its family is called "relu". Errors: an operator that this
  // process does not know, an op in two sets, an empty name.
  static absl::StatusOr<OpRelations> FromSets(const SetsOfRelatedOps& sets);

  // Returns all families that have a name: those of the op table, and those
  // that were added (PyTorch's numeric suite:
  // get_base_name_to_sets_of_related_ops).
  SetsOfRelatedOps BaseNameToSetsOfRelatedOps() const;

  // Relates `op` to `related_op` and to all that it is related to; without
  // `related_op`, makes `op` a family of its own. Either is an operator,
  // "aten::relu", or the type of a leaf module or the name of a leaf function
  // (ir/flatten/inline_modules.h), "my.package.Block" or "Block". Errors: an
  // operator that this process does not know, or an `op` that has relations
  // already which do not include `related_op`'s.
  absl::Status AddOpToSetsOfRelatedOps(
      absl::string_view op, std::optional<std::string> related_op = {});

  // Returns the family of `op`. For an op outside the table that is its own
  // name without the underscore of in-place forms; for a leaf module or
  // function, the last part of its name. The view lives as long as the process
  // or, for families that the user added, as this object.
  absl::string_view FamilyOf(absl::string_view op) const;

  // Returns the family of the op of `node`. The arguments tell which
  // convolution an aten::_convolution is, which tracing writes for all of them.
  absl::string_view FamilyOf(const torch::jit::Node& node) const;

  // Returns the module types and functions that the user named on either side
  // of a relation, in order of their names.
  std::vector<std::string> RelatedCallees() const;

 private:
  absl::string_view FamilyOfCallee(absl::string_view name) const;

  // Whether an op that the user did not name has the family of the op table.
  bool has_built_in_ = true;
  std::set<std::string> related_callees_;
  // The families that the user gave, by op. Entries of a node_hash_map keep
  // their addresses: FamilyOf returns views of them.
  absl::node_hash_map<std::string, std::string> user_families_;
};

}  // namespace ns

#endif  // PASSES_OPS_OP_RELATIONS_H_
