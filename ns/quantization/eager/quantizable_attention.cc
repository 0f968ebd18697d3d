#include "ns/quantization/eager/quantizable_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/jit_type.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/hierarchy/make_module.h"
#include "ir/hierarchy/module_fields.h"
#include "ns/quantization/eager/quantizable_parts.h"
#include "ns/quantization/eager/stubs.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// What of a MultiheadAttention is not in its weights.
struct Shape {
  int64_t embedding = 0;
  int64_t heads = 0;
  bool batch_first = false;
  bool add_zero_attention = false;
  double dropout = 0;
};

absl::Status NotScripted(absl::string_view lack) {
  return absl::InvalidArgumentError(absl::StrCat(
      "its code is not that of a scripted MultiheadAttention: ", lack,
      "; save the model with torch.jit.script, or give it "
      "no qconfig"));
}

absl::StatusOr<Shape> ShapeOf(const Module& attention) {
  const auto field = [&](const char* name) {
    return FieldOf(attention, name).value_or(c10::IValue());
  };
  Shape shape;
  for (const auto& [name, number] :
       {std::make_pair("embed_dim", &shape.embedding),
        std::make_pair("num_heads", &shape.heads)}) {
    if (!field(name).isInt()) {
      return NotScripted(absl::StrCat("it has no ", name));
    }
    *number = field(name).toInt();
  }
  if (shape.heads <= 0 || shape.embedding % shape.heads != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its ", shape.embedding, " features cannot be split into ",
                     shape.heads, " heads"));
  }
  shape.batch_first =
      field("batch_first").isBool() && field("batch_first").toBool();
  shape.add_zero_attention =
      field("add_zero_attn").isBool() && field("add_zero_attn").toBool();
  shape.dropout = field("dropout").isDouble() ? field("dropout").toDouble() : 0;
  return shape;
}

// The arguments of `forward`, in the order of the method whose place it takes.
// Before 1.11 there was no average_attn_weights; since 2.0 there is is_causal,
// a hint about attn_mask.
absl::StatusOr<std::string> Arguments(const Module& attention) {
  const auto forward = attention.find_method("forward");
  if (!forward) {
    return NotScripted("it has no method forward");
  }
  static constexpr std::pair<absl::string_view, absl::string_view> kKnown[] = {
      {"query", "query: Tensor"},
      {"key", "key: Tensor"},
      {"value", "value: Tensor"},
      {"key_padding_mask", "key_padding_mask: Optional[Tensor] = None"},
      {"need_weights", "need_weights: bool = True"},
      {"attn_mask", "attn_mask: Optional[Tensor] = None"},
      {"average_attn_weights", "average_attn_weights: bool = True"},
      {"is_causal", "is_causal: bool = False"},
  };
  const auto& arguments = forward->function().getSchema().arguments();
  std::string text = "self";
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (i > std::size(kKnown) || arguments[i].name() != kKnown[i - 1].first) {
      return NotScripted(absl::StrCat("forward takes ", arguments[i].name()));
    }
    absl::StrAppend(&text, ", ", kKnown[i - 1].second);
  }
  constexpr size_t kNeeded = 7;  // self and the arguments up to attn_mask
  return arguments.size() >= kNeeded
             ? absl::StatusOr<std::string>(text)
             : NotScripted("forward takes too few arguments");
}

// Dtypes are numbers in TorchScript: uint8 is 0, bool is 11.
constexpr char kScript[] = R"(
    has_batches = query.dim() == 3
    assert has_batches or query.dim() == 2, 'the query must have 2 or 3 dimensions'
    if not has_batches:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
    elif batch_first:
        query, key, value = query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)
    target, batches = query.size(0), query.size(1)
    rows = batches * self.num_heads
    assert query.size(2) == self.embed_dim, 'the query has another number of features than the module'
    assert key.size(0) == value.size(0) and key.size(1) == value.size(1), 'key and value have other sizes'

    q = self.q_scaling_product.mul_scalar(self.linear_Q.forward(query), float(self.head_dim) ** -0.5)
    k = self.linear_K.forward(key)
    v = self.linear_V.forward(value)

    mask = attn_mask
    if mask is not None:
        if mask.dtype == 0:
            mask = torch.to(mask, 11)
        if mask.dim() == 2:
            mask = mask.unsqueeze(0)
            assert mask.size(1) == target and mask.size(2) == key.size(0), 'attn_mask has not the sizes of query and key'
        else:
            assert mask.dim() == 3 and mask.size(0) == rows and mask.size(1) == target and mask.size(2) == key.size(0), 'attn_mask has not the sizes of query and key'
    padding = key_padding_mask
    if padding is not None:
        if padding.dtype == 0:
            padding = torch.to(padding, 11)
        if not has_batches:
            padding = padding.unsqueeze(0)
        assert padding.size(0) == batches and padding.size(1) == key.size(0), 'key_padding_mask has not the sizes of the key'

    bias_k, bias_v = self.bias_k, self.bias_v
    if bias_k is not None:
        if bias_v is not None:
            k = torch.cat([k, bias_k.repeat([1, batches, 1])])
            v = torch.cat([v, bias_v.repeat([1, batches, 1])])
    q = q.contiguous().view([target, rows, self.head_dim]).transpose(0, 1)
    k = k.contiguous().view([-1, rows, self.head_dim]).transpose(0, 1)
    v = v.contiguous().view([-1, rows, self.head_dim]).transpose(0, 1)
    if self.add_zero_attn:
        zeros_k = torch.zeros([rows, 1, self.head_dim])
        zeros_v = zeros_k
        if k.is_quantized:
            zeros_k = torch.quantize_per_tensor(zeros_k, k.q_scale(), k.q_zero_point(), k.dtype)
            zeros_v = torch.quantize_per_tensor(zeros_v, v.q_scale(), v.q_zero_point(), v.dtype)
        k = torch.cat([k, zeros_k], 1)
        v = torch.cat([v, zeros_v], 1)
    source = k.size(1)
    if mask is not None:
        mask = torch.constant_pad_nd(mask, [0, source - mask.size(2)])
    if padding is not None:
        padding = torch.constant_pad_nd(padding, [0, source - padding.size(1)])

    q = self.dequant_q.forward(q)
    k = self.dequant_k.forward(k)
    v = self.dequant_v.forward(v)
    weights = torch.bmm(q, k.transpose(1, 2))
    if mask is not None:
        if mask.dtype == 11:
            weights = weights.masked_fill(mask, float('-inf'))
        else:
            weights = weights + mask
    if padding is not None:
        padding = padding.unsqueeze(1).unsqueeze(2)
        weights = weights.view([batches, self.num_heads, target, source])
        if padding.dtype == 11:
            weights = weights.masked_fill(padding, float('-inf'))
        else:
            weights = weights + padding
        weights = weights.view([rows, target, source])
    weights = torch.dropout(torch.softmax(weights, -1), self.dropout, self.training)

    output = torch.bmm(weights, v).transpose(0, 1).contiguous().view([target, batches, self.embed_dim])
    output = self.out_proj.forward(self.quant_attn_output.forward(output))
    weights = self.quant_attn_output_weights.forward(weights)
    weights = weights.view([batches, self.num_heads, target, source])
    if average:
        weights = weights.mean([1])
    if not has_batches:
        output, weights = output.squeeze(1), weights.squeeze(0)
    elif batch_first:
        output = output.transpose(0, 1)
    result: Optional[Tensor] = None
    if need_weights:
        result = weights
    return output, result
)";

std::string Script(const std::string& arguments, bool batch_first) {
  const bool has_average = absl::StrContains(arguments, "average_attn_weights");
  return absl::StrCat("def forward(", arguments,
                      ") -> Tuple[Tensor, Optional[Tensor]]:\n"
                      "    batch_first = ",
                      batch_first ? "True" : "False",
                      "\n"
                      "    average = ",
                      has_average ? "average_attn_weights" : "True", kScript);
}

// A part of a parameter, as a parameter of its own.
at::Tensor PartOf(const at::Tensor& parameter, int64_t begin, int64_t size) {
  const at::NoGradGuard no_grad;
  return parameter.detach()
      .slice(0, begin, begin + size)
      .clone()
      .set_requires_grad(parameter.requires_grad());
}

// The layers of query, key and value.
absl::Status AddProjections(const Module& attention, int64_t embedding,
                            Module& made) {
  const at::Tensor together = TensorOf(attention, "in_proj_weight");
  const at::Tensor biases = TensorOf(attention, "in_proj_bias");
  int64_t begin = 0;
  for (const auto& [name, weight_name] :
       {std::make_pair("linear_Q", "q_proj_weight"),
        std::make_pair("linear_K", "k_proj_weight"),
        std::make_pair("linear_V", "v_proj_weight")}) {
    at::Tensor weight = TensorOf(attention, weight_name);
    if (together.defined()) {
      weight = PartOf(together, begin, embedding);
    }
    if (!weight.defined()) {
      return NotScripted(absl::StrCat("it has no ", weight_name));
    }
    const at::Tensor bias =
        biases.defined() ? PartOf(biases, begin, embedding) : biases;
    NS_ASSIGN_OR_RETURN(const Module linear, LinearModule(weight, bias));
    made.register_module(name, linear);
    begin += embedding;
  }
  return absl::OkStatus();
}

absl::StatusOr<Module> Make(const Module& attention) {
  NS_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(attention));
  NS_ASSIGN_OR_RETURN(const std::string arguments, Arguments(attention));
  if (!attention.hasattr("out_proj") ||
      !attention.attr("out_proj").isModule()) {
    return NotScripted("it has no out_proj");
  }
  const Module projection = attention.attr("out_proj").toModule();
  Module made = NewModule(kQuantizableAttention);
  SetField("embed_dim", shape.embedding, made);
  SetField("num_heads", shape.heads, made);
  SetField("head_dim", shape.embedding / shape.heads, made);
  SetField("dropout", shape.dropout, made);
  SetField("add_zero_attn", shape.add_zero_attention, made);
  CopyFields(attention, made);
  for (const char* name : {"bias_k", "bias_v"}) {
    const at::Tensor bias = TensorOf(attention, name);
    if (bias.defined()) {
      made.register_parameter(name, bias, /*is_buffer=*/false);
    } else {
      SetField(name, c10::IValue(), made);
    }
  }
  NS_ASSIGN_OR_RETURN(const Module linear,
                      LinearModule(TensorOf(projection, "weight"),
                                   TensorOf(projection, "bias")));
  made.register_module("out_proj", linear);
  NS_RETURN_IF_ERROR(AddProjections(attention, shape.embedding, made));
  NS_ASSIGN_OR_RETURN(
      const Module scaling,
      FloatFunctional("def mul_scalar(self, x: Tensor, y: float) -> Tensor:\n"
                      "    return torch.mul(x, y)\n"));
  made.register_module("q_scaling_product", scaling);
  for (const char* name : {"quant_attn_output", "quant_attn_output_weights"}) {
    made.register_module(name, QuantStub());
  }
  for (const char* name : {"dequant_q", "dequant_k", "dequant_v"}) {
    made.register_module(name, DeQuantStub());
  }
  NS_RETURN_IF_ERROR(DefineMethods(made, Script(arguments, shape.batch_first)));
  made.train(attention.is_training());
  return made;
}

}  // namespace

absl::StatusOr<Module> QuantizableAttention(const Module& attention) {
  return CatchTorchErrors([&] { return Make(attention); });
}

void QuantizeAttentionBiases(Module& attention) {
  const at::NoGradGuard no_grad;
  for (const char* name : {"bias_k", "bias_v"}) {
    const at::Tensor bias = TensorOf(attention, name);
    if (!bias.defined()) {
      continue;
    }
    const auto [scale, zero_point] =
        at::_choose_qparams_per_tensor(bias, /*reduce_range=*/false);
    attention._ivalue()->unsafeRemoveAttr(name);
    attention.type()->unsafeRemoveAttribute(name);
    attention.register_attribute(
        name, c10::TensorType::get(),
        at::quantize_per_tensor(bias.detach(), scale, zero_point, at::kQUInt8));
  }
}

}  // namespace ns
