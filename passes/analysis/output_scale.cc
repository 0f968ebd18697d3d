#include "passes/analysis/output_scale.h"

#include <torch/csrc/jit/ir/ir.h>

#include <array>
#include <string>

#include "absl/strings/string_view.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Whether the output of `row` may be quantized.
bool GivesQuantized(const OpRow& row) {
  return IsQuantizedOp(row) && row.numerics != Numerics::kInt8ToFloat;
}

// The names that schemas have for the scale of the output. "scale" comes last,
// because elu has a factor of this name.
constexpr std::array<absl::string_view, 3> kOutputScales = {
    "output_scale", "Y_scale_i", "scale"};

}  // namespace

int OutputScaleArgument(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (row != nullptr && GivesQuantized(*row) && schema != nullptr) {
    for (const absl::string_view name : kOutputScales) {
      if (const auto index = schema->argumentIndexWithName(std::string(name))) {
        return *index;
      }
    }
  }
  return -1;
}

bool ChoosesQParams(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && IsQuantizedOp(*row) &&
         (row->family == "add" || row->family == "mul") &&
         InputNamed(node, "out") == nullptr && OutputScaleArgument(node) < 0;
}

bool TakesNumber(const Node& node) {
  return (node.kind() == c10::aten::add || node.kind() == c10::aten::mul) &&
         (NumberOf(*node.input(0)) || NumberOf(*node.input(1)));
}

int OutputScaleInput(const Node& node) {
  const int scale = OutputScaleArgument(node);
  const bool is_given =
      scale >= 0 &&
      node.input(scale)->type()->kind() == c10::TypeKind::FloatType &&
      node.input(scale + 1)->type()->kind() == c10::TypeKind::IntType;
  return is_given ? scale : -1;
}

}  // namespace ns
