// Keeps what users say of their own ops: whether these take and give float or
// quantized tensors.
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

// Tells what tensors an op takes and gives: by the op table and, for ops that
// it does not have, by what the user says (PyTorch's numeric suite:
// node_type_to_io_type_map). Shadows depend on it, because they are fed with
// the inputs of the original op.
class OpIoTypes {
 public:
  // Says that `op` takes and gives quantized tensors (kInt8), takes and gives
  // float ones (kFloat, which is assumed of unknown ops), or gives what it
  // takes, with the same scale and zero point (kEither). `op` is an operator,
  // "my::op", which stands for its in-place form, too, or a type of leaf
  // modules or a leaf function, "Block". Errors: an operator that this process
  // does not know, an empty name, or an op of which the table or an earlier
  // call says something else.
  absl::Status Set(absl::string_view op, Numerics numerics);

  // Returns what the op of `node` takes and gives; nothing for an op of which
  // nothing is known.
  std::optional<Numerics> Find(const torch::jit::Node& node) const;

 private:
  // What users said, by name. Operators are without the underscore of in-place
  // forms.
  std::map<std::string, Numerics, std::less<>> numerics_;
};

// Returns the name that messages and flags use: "float", "int8", "either",
// "dynamic" or "fp16". Ops of the last two take and give floats.
absl::string_view IoTypeName(Numerics numerics);

}  // namespace ns

#endif  // PASSES_OPS_OP_IO_TYPES_H_
