#include "ns/quantization/eager/quantized_types.h"

#include <ATen/core/jit_type.h>
#include <c10/core/ScalarType.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

constexpr char kQuantized[] = "torch.ao.nn.quantized.modules.";
constexpr char kFused[] = "torch.nn.intrinsic.quantized.modules.";
constexpr char kDynamic[] = "torch.ao.nn.quantized.dynamic.modules.";
constexpr char kFusedDynamic[] =
    "torch.nn.intrinsic.quantized.dynamic.modules.";

QuantizedType Activation(const std::string& name, QParamsForm qparams) {
  QuantizedType type;
  type.name = name;
  type.source = CodeSource::kQuantizeLayer;
  type.qparams = qparams;
  return type;
}

QuantizedType Linear(const std::string& name) {
  QuantizedType type = Activation(name, QParamsForm::kNumbers);
  type.packed = {"_packed_params._packed_params"};
  type.packed_classes = {absl::StrCat(kQuantized, "linear.LinearPackedParams")};
  type.copied = {"in_features", "out_features"};
  type.weight_dtype = WeightDtype::kWithPacked;
  return type;
}

QuantizedType Conv(const std::string& name) {
  QuantizedType type = Activation(name, QParamsForm::kNumbers);
  type.packed = {"_packed_params"};
  type.copied = {"in_channels", "out_channels", "kernel_size", "stride",
                 "padding",     "dilation",     "transposed",  "output_padding",
                 "groups",      "padding_mode"};
  return type;
}

QuantizedType Norm(const std::string& name, QParamsForm qparams) {
  QuantizedType type = Activation(name, qparams);
  type.keeps_tensors = true;
  return type;
}

QuantizedType Script(const std::string& name, const std::string& result) {
  QuantizedType type;
  type.name = name;
  type.script = absl::StrCat("def forward(self, input: Tensor) -> Tensor:\n",
                             "    return ", result, "\n");
  return type;
}

// `call` is the call of the op, up to its scale and zero point.
QuantizedType ScriptedNorm(const std::string& name, const std::string& call,
                           std::vector<std::string> constants) {
  QuantizedType type =
      Script(name, absl::StrCat("ops.quantized.", call,
                                ", float(self.scale), int(self.zero_point))"));
  type.qparams = QParamsForm::kScalars;
  type.keeps_tensors = true;
  type.constants = std::move(constants);
  return type;
}

QuantizedType DynamicLinear(const std::string& name) {
  QuantizedType type = Linear(name);
  type.source = CodeSource::kDynamicLayer;
  type.qparams = QParamsForm::kNone;
  type.fixed = {
      {"scale", 1.0}, {"zero_point", int64_t{0}}, {"version", int64_t{4}}};
  return type;
}

QuantizedType Recurrent(const std::string& name) {
  QuantizedType type;
  type.name = name;
  type.source = CodeSource::kDynamicLayer;
  type.packed = {"_all_weight_values.#.param"};
  type.packed_classes = {"torch.nn.modules.container.ModuleList",
                         absl::StrCat(kDynamic, "rnn.PackedParameter")};
  type.copied = {"mode",        "input_size", "hidden_size",  "num_layers",
                 "batch_first", "dropout",    "bidirectional"};
  // A layer without biases gets some of zeros.
  type.fixed = {{"bias", true},
                {"dtype", static_cast<int64_t>(at::kQInt8)},
                {"version", int64_t{2}}};
  return type;
}

QuantizedType Cell(const std::string& name) {
  QuantizedType type;
  type.name = name;
  type.source = CodeSource::kDynamicLayer;
  type.packed = {"_packed_weight_ih", "_packed_weight_hh"};
  type.copied = {"bias_ih", "bias_hh"};
  type.fixed = {{"weight_dtype", static_cast<int64_t>(at::kQInt8)}};
  return type;
}

QuantizedType Embedding(const std::string& name) {
  QuantizedType type;
  type.name = name;
  type.source = CodeSource::kTable;
  type.packed = {"_packed_params._packed_weight"};
  type.packed_classes = {
      absl::StrCat(kQuantized, "embedding_ops.EmbeddingPackedParams")};
  type.copied = {"num_embeddings", "embedding_dim"};
  type.weight_dtype = WeightDtype::kAlsoOutside;
  return type;
}

QuantizedType EmbeddingBag(const std::string& name) {
  QuantizedType type = Embedding(name);
  type.copied.insert(type.copied.end(), {"mode", "include_last_offset"});
  type.fixed = {{"pruned_weights", false}};
  return type;
}

std::vector<QuantizedType> AllTypes() {
  const auto quantized = [](absl::string_view name) {
    return absl::StrCat(kQuantized, name);
  };
  std::vector<QuantizedType> types = {
      Linear(quantized("linear.Linear")),
      Linear(absl::StrCat(kFused, "linear_relu.LinearReLU")),
      DynamicLinear(absl::StrCat(kDynamic, "linear.Linear")),
      DynamicLinear(absl::StrCat(kFusedDynamic, "linear_relu.LinearReLU")),
      Recurrent(absl::StrCat(kDynamic, "rnn.LSTM")),
      Recurrent(absl::StrCat(kDynamic, "rnn.GRU")),
      Cell(absl::StrCat(kDynamic, "rnn.LSTMCell")),
      Cell(absl::StrCat(kDynamic, "rnn.GRUCell")),
      Cell(absl::StrCat(kDynamic, "rnn.RNNCell")),
      Embedding(quantized("embedding_ops.Embedding")),
      EmbeddingBag(quantized("embedding_ops.EmbeddingBag")),
      Norm(quantized("normalization.LayerNorm"), QParamsForm::kScalars),
      // LibTorch's kernel reads the memory of other layouts in a wrong order.
      ScriptedNorm(quantized("normalization.GroupNorm"),
                   "group_norm(input.contiguous(), {num_groups}, "
                   "self.weight, self.bias, {eps}",
                   {"num_groups", "eps"}),
      Activation(quantized("activation.ELU"), QParamsForm::kNumbers),
      Activation(quantized("activation.Hardswish"), QParamsForm::kNumbers),
      Activation(quantized("activation.LeakyReLU"), QParamsForm::kScalars),
      Script(quantized("dropout.Dropout"), "input"),
      Script(quantized("DeQuantize"), "torch.dequantize(input)"),
  };
  for (const char* dimensions : {"1d", "2d", "3d"}) {
    types.push_back(Conv(absl::StrCat(kQuantized, "conv.Conv", dimensions)));
    types.push_back(
        Conv(absl::StrCat(kQuantized, "conv.ConvTranspose", dimensions)));
    types.push_back(
        Conv(absl::StrCat(kFused, "conv_relu.ConvReLU", dimensions)));
    types.push_back(ScriptedNorm(
        absl::StrCat(kQuantized, "normalization.InstanceNorm", dimensions),
        "instance_norm(input.contiguous(), self.weight, self.bias, {eps}",
        {"eps"}));
  }
  for (const char* dimensions : {"2d", "3d"}) {
    types.push_back(
        Norm(absl::StrCat(kQuantized, "batchnorm.BatchNorm", dimensions),
             QParamsForm::kVectors));
    types.push_back(Norm(absl::StrCat(kFused, "bn_relu.BNReLU", dimensions),
                         QParamsForm::kVectors));
  }
  QuantizedType relu6 = Script(quantized("activation.ReLU6"),
                               "ops.quantized.relu6(input, False)");
  // That engine clamps tensors that are channels-last wrongly.
  relu6.qnnpack_script =
      Script("", "ops.quantized.relu6(input.contiguous(), False)").script;
  types.push_back(relu6);
  QuantizedType quantize =
      Script(quantized("Quantize"),
             "torch.quantize_per_tensor(input, float(self.scale), "
             "int(self.zero_point), self.dtype)");
  quantize.qparams = QParamsForm::kVectors;
  quantize.has_output_dtype = true;
  types.push_back(quantize);
  QuantizedType prelu =
      Script(quantized("activation.PReLU"),
             "ops.quantized.prelu(input, self.weight, self.scale, "
             "self.zero_point)");
  prelu.qparams = QParamsForm::kNumbers;
  prelu.quantizes_weight = true;
  prelu.copied = {"num_parameters"};
  types.push_back(prelu);
  QuantizedType functional;
  functional.name = quantized("functional_modules.QFunctional");
  functional.source = CodeSource::kFunctional;
  functional.qparams = QParamsForm::kNumbers;
  types.push_back(functional);
  return types;
}

}  // namespace

const QuantizedType* FindQuantizedType(absl::string_view type) {
  static const auto& types = *new std::vector<QuantizedType>(AllTypes());
  // A last part alone is a class of the user's own: "Linear" of a script.
  if (!absl::StrContains(type, '.')) {
    return nullptr;
  }
  for (const QuantizedType& known : types) {
    if (IsTypeNamed(known.name, type)) {
      return &known;
    }
  }
  return nullptr;
}

}  // namespace ns
