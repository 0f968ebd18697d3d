#include "ns/quantization/eager/quantizable_lstm.h"

#include <ATen/core/jit_type.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/hierarchy/make_module.h"
#include "ir/hierarchy/module_fields.h"
#include "ns/quantization/eager/quantizable_parts.h"

namespace ns {
namespace {

using ::torch::jit::Module;

constexpr char kCellScript[] = R"(
def forward(self, x: Tensor, h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor]:
    gates = self.gates.add(self.igates.forward(x), self.hgates.forward(h))
    parts = gates.chunk(4, 1)
    kept = self.fgate_cx.mul(torch.sigmoid(parts[1]), c)
    added = self.igate_cgate.mul(torch.sigmoid(parts[0]), torch.tanh(parts[2]))
    c = self.fgate_cx_igate_cgate.add(kept, added)
    return self.ogate_cy.mul(torch.sigmoid(parts[3]), torch.tanh(c)), c
)";

constexpr char kDirectionScript[] = R"(
def forward(self, x: Tensor, h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    outputs: List[Tensor] = []
    for i in range(x.size(0)):
        h, c = self.cell.forward(x[i], h, c)
        outputs.append(h)
    return torch.stack(outputs, 0), h, c
)";

constexpr char kOneWayScript[] = R"(
def forward(self, x: Tensor, h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    return self.layer_fw.forward(x, h, c)
)";

constexpr char kBothWaysScript[] = R"(
def forward(self, x: Tensor, h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    y, h_fw, c_fw = self.layer_fw.forward(x, h[0], c[0])
    z, h_bw, c_bw = self.layer_bw.forward(x.flip(0), h[1], c[1])
    y = torch.cat([y, z.flip(0)], 2)
    return y, torch.stack([h_fw, h_bw], 0), torch.stack([c_fw, c_bw], 0)
)";

// A layer in one direction; `suffix` ends the names of its parameters. What its
// FloatFunctionals compute is observed.
absl::StatusOr<Module> Direction(const Module& lstm,
                                 const std::string& suffix) {
  Module cell = NewModule("torch.ao.nn.quantizable.modules.rnn.LSTMCell");
  const at::Tensor weight = TensorOf(lstm, absl::StrCat("weight_ih", suffix));
  SetField("input_size", weight.size(1), cell);
  SetField("hidden_size", weight.size(0) / 4, cell);
  SetField("bias", TensorOf(lstm, absl::StrCat("bias_ih", suffix)).defined(),
           cell);
  for (const auto& [gates, kind] :
       {std::make_pair("igates", "_ih"), std::make_pair("hgates", "_hh")}) {
    NS_ASSIGN_OR_RETURN(
        const Module linear,
        LinearModule(TensorOf(lstm, absl::StrCat("weight", kind, suffix)),
                     TensorOf(lstm, absl::StrCat("bias", kind, suffix))));
    cell.register_module(gates, linear);
  }
  for (const auto& [name, method] :
       {std::make_pair("gates", "add"), std::make_pair("fgate_cx", "mul"),
        std::make_pair("igate_cgate", "mul"),
        std::make_pair("fgate_cx_igate_cgate", "add"),
        std::make_pair("ogate_cy", "mul")}) {
    NS_ASSIGN_OR_RETURN(
        const Module functional,
        FloatFunctional(absl::StrCat(
            "def ", method, "(self, x: Tensor, y: Tensor) -> Tensor:\n",
            "    return self.activation_post_process.forward(torch.", method,
            "(x, y))\n")));
    cell.register_module(name, functional);
  }
  NS_RETURN_IF_ERROR(DefineMethods(cell, kCellScript));
  Module direction =
      NewModule("torch.ao.nn.quantizable.modules.rnn._LSTMSingleLayer");
  direction.register_module("cell", cell);
  NS_RETURN_IF_ERROR(DefineMethods(direction, kDirectionScript));
  return direction;
}

// What is known of an LSTM from its parameters.
struct Shape {
  int64_t layers = 0;
  int64_t hidden_size = 0;
  bool is_bidirectional = false;
};

absl::StatusOr<Shape> ShapeOf(const Module& lstm) {
  Shape shape;
  while (TensorOf(lstm, absl::StrCat("weight_ih_l", shape.layers)).defined()) {
    ++shape.layers;
  }
  const at::Tensor hidden = TensorOf(lstm, "weight_hh_l0");
  if (shape.layers == 0 || !hidden.defined()) {
    return absl::InvalidArgumentError("it has not the parameters of an LSTM");
  }
  if (TensorOf(lstm, "weight_hr_l0").defined()) {
    return absl::InvalidArgumentError(
        "it is an LSTM with projections, which has no quantized form");
  }
  shape.hidden_size = hidden.size(1);
  shape.is_bidirectional = TensorOf(lstm, "weight_ih_l0_reverse").defined();
  return shape;
}

// The code of the LSTM itself, as method `name`.
std::string Script(const std::string& name, const Shape& shape,
                   bool batch_first) {
  const int64_t directions = shape.is_bidirectional ? 2 : 1;
  const std::string sizes =
      absl::StrCat(directions, ", x.size(1), ", shape.hidden_size);
  std::string script = absl::StrCat(
      "def ", name,
      "(self, input: Tensor, hx: Optional[Tuple[Tensor, Tensor]] = None) -> "
      "Tuple[Tensor, Tuple[Tensor, Tensor]]:\n"
      "    assert input.dim() == 3, 'a quantizable LSTM takes batches'\n"
      "    x = input",
      batch_first ? ".transpose(0, 1)" : "",
      "\n"
      "    if hx is None:\n"
      "        zeros = torch.zeros([",
      shape.layers, ", ", sizes,
      "])\n"
      "        if x.is_quantized:\n"
      "            zeros = torch.quantize_per_tensor(zeros, 1.0, 0, x.dtype)\n"
      "        h, c = zeros, zeros\n"
      "    else:\n"
      "        h = hx[0].reshape([",
      shape.layers, ", ", sizes, "])\n", "        c = hx[1].reshape([",
      shape.layers, ", ", sizes,
      "])\n"
      "    hs: List[Tensor] = []\n"
      "    cs: List[Tensor] = []\n");
  const absl::string_view own = shape.is_bidirectional ? "" : ".squeeze(0)";
  for (int64_t i = 0; i < shape.layers; ++i) {
    absl::StrAppend(&script, "    x, hi, ci = getattr(self.layers, \"", i,
                    "\").forward(x, h[", i, "]", own, ", c[", i, "]", own,
                    ")\n"
                    "    hs.append(hi)\n"
                    "    cs.append(ci)\n");
  }
  absl::StrAppend(&script, "    hs_all = torch.stack(hs).reshape([-1, ",
                  "input.size(", batch_first ? 0 : 1, "), ", shape.hidden_size,
                  "])\n", "    cs_all = torch.stack(cs).reshape([-1, ",
                  "input.size(", batch_first ? 0 : 1, "), ", shape.hidden_size,
                  "])\n", "    return x", batch_first ? ".transpose(0, 1)" : "",
                  ", (hs_all, cs_all)\n");
  return script;
}

// Whether a method takes a batch of sequences and a state, as those of scripted
// LSTMs do.
bool TakesSequences(const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();
  return arguments.size() == 3 &&
         arguments[1].type()->kind() == c10::TypeKind::TensorType &&
         arguments[2].type()->kind() == c10::TypeKind::OptionalType;
}

absl::StatusOr<Module> Make(const Module& lstm) {
  NS_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(lstm));
  const auto transposed = FieldOf(lstm, "batch_first");
  const bool batch_first =
      transposed && transposed->isBool() && transposed->toBool();
  Module layers = NewModule("torch.nn.modules.container.ModuleList");
  for (int64_t i = 0; i < shape.layers; ++i) {
    Module layer = NewModule("torch.ao.nn.quantizable.modules.rnn._LSTMLayer");
    NS_ASSIGN_OR_RETURN(const Module forward,
                        Direction(lstm, absl::StrCat("_l", i)));
    SetField("batch_first", false, layer);
    SetField("bidirectional", shape.is_bidirectional, layer);
    layer.register_module("layer_fw", forward);
    if (shape.is_bidirectional) {
      NS_ASSIGN_OR_RETURN(const Module backward,
                          Direction(lstm, absl::StrCat("_l", i, "_reverse")));
      layer.register_module("layer_bw", backward);
    }
    NS_RETURN_IF_ERROR(DefineMethods(
        layer, shape.is_bidirectional ? kBothWaysScript : kOneWayScript));
    layers.register_module(absl::StrCat(i), layer);
  }
  Module made = NewModule(kQuantizableLstm);
  SetField("input_size", TensorOf(lstm, "weight_ih_l0").size(1), made);
  SetField("hidden_size", shape.hidden_size, made);
  SetField("num_layers", shape.layers, made);
  SetField("bias", TensorOf(lstm, "bias_ih_l0").defined(), made);
  SetField("batch_first", batch_first, made);
  SetField("dropout", 0.0, made);
  SetField("bidirectional", shape.is_bidirectional, made);
  made.register_module("layers", layers);
  bool has_method = false;
  for (const torch::jit::Function* method : lstm.type()->methods()) {
    if (absl::StartsWith(method->name(), "forward") &&
        TakesSequences(method->getSchema())) {
      has_method = true;
      NS_RETURN_IF_ERROR(
          DefineMethods(made, Script(method->name(), shape, batch_first)));
    }
  }
  return has_method ? absl::StatusOr<Module>(made)
                    : absl::InvalidArgumentError(
                          "its code is not that of a scripted LSTM; save the "
                          "model with torch.jit.script");
}

}  // namespace

absl::StatusOr<Module> QuantizableLstm(const Module& lstm) {
  return CatchTorchErrors([&] { return Make(lstm); });
}

}  // namespace ns
