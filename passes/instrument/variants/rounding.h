// Rounds values of a graph as quantization would: they are quantized and
// dequantized, and stay in float.
#ifndef PASSES_INSTRUMENT_VARIANTS_ROUNDING_H_
#define PASSES_INSTRUMENT_VARIANTS_ROUNDING_H_

#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/runtime/observers/values/qparams.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Rounds to the integers quant_min..quant_max, with a scale and a zero point
// that are known.
//
//   %scaled = aten::mul(%x, <1 / scale>)
//   %integers = aten::round_(%scaled)
//   %clamped = aten::clamp_(%integers, <quant_min - zero_point>,
//                           <quant_max - zero_point>)
//   %rounded = aten::mul_(%clamped, <scale>)
//
// For finite values that is aten::fake_quantize_per_tensor_affine, in a tenth
// of its time.
struct GridRounding {
  QParams qparams;
  int64_t quant_min = 0;
  int64_t quant_max = 255;

  bool operator==(const GridRounding& other) const {
    return qparams.scale == other.qparams.scale &&
           qparams.zero_point == other.qparams.zero_point &&
           quant_min == other.quant_min && quant_max == other.quant_max;
  }
};

// Rounds as dynamic quantized ops round their input: each run finds the scale
// and the zero point from the values. `reduce_range` is that argument of the
// op, a value of the graph.
//
//   %quantized = ns::quantize_dynamic(%x, %reduce_range)
//   %rounded = ns::as_float(%quantized)
struct DynamicOpRounding {
  torch::jit::Value* reduce_range = nullptr;
};

// Lets an object round that is an attribute of the model, such as an
// ActivationQuantizer (passes/runtime/observers/activation_quantizer.h): by its
// method `forward` or, for lists of tensors, `forward_list`.
//
//   %object = prim::GetAttr[name=<attribute>](%self)
//   %rounded = prim::CallMethod[name="forward"](%object, %x)
struct MethodRounding {
  std::string attribute;
};

// One way to round a value; std::monostate keeps it as it is.
using Rounding = std::variant<std::monostate, GridRounding, DynamicOpRounding,
                              MethodRounding>;

// Inserts `rounding` of `value` before `place` in the graph of `host`, and
// returns the rounded value. Error: an op or a method that does not take the
// value; the graph is then unchanged.
absl::StatusOr<torch::jit::Value*> InsertRounding(ModelGraph& host,
                                                  const Rounding& rounding,
                                                  torch::jit::Value* value,
                                                  torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_VARIANTS_ROUNDING_H_
