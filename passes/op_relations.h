// Which ops are the same mathematical operation in different numeric flavours.
#ifndef PASSES_OP_RELATIONS_H_
#define PASSES_OP_RELATIONS_H_

#include <optional>
#include <string>

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// The op table's families, plus what the user adds.
class OpRelations {
 public:
  // Relates `op` to `related_op` and to all that it is related to; without
  // `related_op`, makes `op` a family of its own. Errors: `op` or `related_op`
  // is no operator that this process knows, or `op` has relations already that
  // do not include `related_op`'s.
  absl::Status AddOpToSetsOfRelatedOps(
      absl::string_view op, std::optional<std::string> related_op = {});

  // The family of `op`; for an op outside the table, its own name without the
  // underscore of in-place forms. The view lives as long as the process or, for
  // families that the user added, as this object.
  absl::string_view FamilyOf(absl::string_view op) const;

  // As above for the op of `node`, where aten::_convolution, which tracing
  // makes of every convolution, is told apart by its arguments.
  absl::string_view FamilyOf(const torch::jit::Node& node) const;

 private:
  // Op to family. Nodes stay where they are: views of them are handed out.
  absl::node_hash_map<std::string, std::string> user_families_;
};

}  // namespace ns

#endif  // PASSES_OP_RELATIONS_H_
