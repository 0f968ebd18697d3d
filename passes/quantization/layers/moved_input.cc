#include "passes/quantization/layers/moved_input.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/graph/node_view.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/int8_form.h"

namespace ns {

bool MovesInput(const torch::jit::Use& use) {
  if (use.offset != 0) {
    return false;
  }
  if (MovesValues(*use.user)) {
    return true;
  }
  const OpRow* const row = FindOp(OpName(*use.user));
  return row != nullptr && !use.user->kind().is_prim() &&
         (row->role == Role::kShape || row->role == Role::kTransparent) &&
         !row->family_row->facts.takes_shape_alone;
}

}  // namespace ns
