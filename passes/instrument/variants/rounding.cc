#include "passes/instrument/variants/rounding.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/model/insert_method_call.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Inserts one kind of rounding at the insertion point, which is before `place`.
struct Inserter {
  ModelGraph& host;
  Value* value;
  Node* place;

  absl::StatusOr<Value*> operator()(std::monostate) const { return value; }

  absl::StatusOr<Value*> operator()(const GridRounding& rounding) const {
    torch::jit::Graph& graph = host.graph();
    const auto scale = static_cast<float>(rounding.qparams.scale);
    const int64_t zero_point = rounding.qparams.zero_point;
    NS_ASSIGN_OR_RETURN(Value * integers,
                        InsertOp(graph, "aten::mul", {value, 1.0F / scale}));
    NS_ASSIGN_OR_RETURN(integers, InsertOp(graph, "aten::round_", {integers}));
    NS_ASSIGN_OR_RETURN(integers,
                        InsertOp(graph, "aten::clamp_",
                                 {integers, rounding.quant_min - zero_point,
                                  rounding.quant_max - zero_point}));
    return InsertOp(graph, "aten::mul_", {integers, scale});
  }

  absl::StatusOr<Value*> operator()(const DynamicOpRounding& rounding) const {
    NS_ASSIGN_OR_RETURN(Value * quantized,
                        InsertOp(host.graph(), "ns::quantize_dynamic",
                                 {value, rounding.reduce_range}));
    return InsertOp(host.graph(), "ns::as_float", {quantized});
  }

  absl::StatusOr<Value*> operator()(const MethodRounding& rounding) const {
    return InsertMethodCall(host, rounding.attribute,
                            IsTensor(*value) ? "forward" : "forward_list",
                            {value}, place);
  }
};

}  // namespace

absl::StatusOr<Value*> InsertRounding(ModelGraph& host,
                                      const Rounding& rounding, Value* value,
                                      Node* place) {
  return InsertOrTakeBack(*place, [&] {
    return std::visit(Inserter{host, value, place}, rounding);
  });
}

}  // namespace ns
