// What ops of the user's compute with.
#ifndef PASSES_OPS_OP_IO_TYPES_H_
#define PASSES_OPS_OP_IO_TYPES_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_table.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// What ops take and give, by the op table and, for ops that it does not know,
// by what the user says (reference: node_type_to_io_type_map). Shadows need to
// know it: they are fed with what the original takes.
class OpIoTypes {
 public:
  // Says that `op` takes and gives quantized tensors (kInt8), float ones
  // (kFloat, as is taken of unknown ops), or gives what it takes, with the same
  // scale and zero point (kEither). `op` is an operator, "my::op", its form in
  // place included, or a type of leaf modules or a leaf function, "Block".
  // Errors: an operator that this process does not know, an empty name, or an
  // op that the table or an earlier call says otherwise of.
  absl::Status Set(absl::string_view op, Numerics numerics);

  // Of the op of `node`; absent for one of which nothing is known.
  std::optional<Numerics> Find(const torch::jit::Node& node) const;

 private:
  // Operators without the underscore of forms in place.
  std::map<std::string, Numerics, std::less<>> numerics_;
};

// "float", "int8" or "either", as messages and flags call them; "dynamic" and
// "fp16" take and give floats.
absl::string_view IoTypeName(Numerics numerics);

}  // namespace ns

#endif  // PASSES_OPS_OP_IO_TYPES_H_
