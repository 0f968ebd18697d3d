#include "ns/engine_check/engine_cases.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

using Kind = CaseTensor::Kind;
using Ints = std::vector<int64_t>;

// Returns "[1, 2]".
std::string List(const Ints& values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

std::string Product(const Ints& values) { return absl::StrJoin(values, "x"); }

// Returns the line that calls `op`, "quantized::add", with `arguments`.
std::string Call(absl::string_view op, absl::string_view arguments) {
  return absl::StrCat("y = torch.ops.", absl::StrReplaceAll(op, {{"::", "."}}),
                      "(", arguments, ")");
}

// Returns a scale for sums of `terms` products of an activation and a weight of
// a case, which then have codes around 64.
double OutputScale(int64_t terms) {
  constexpr double kDeviationOfProduct = 0.6;
  constexpr double kSigmas = 3;
  constexpr double kCodes = 64;
  constexpr double kDigits = 1e4;
  const double deviation =
      kDeviationOfProduct * std::sqrt(static_cast<double>(terms));
  return std::round(kDigits * kSigmas * deviation / kCodes) / kDigits;
}

// A convolution, with one number for all its dimensions.
struct Conv {
  int64_t in = 16;
  int64_t out = 16;
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  int64_t groups = 1;
  // The size of the image.
  Ints size = {7, 9};
  bool transposed = false;
  int64_t output_padding = 0;
};

struct ConvForm {
  bool relu = false;
  bool per_channel = false;
  bool channels_last = false;
};

EngineCase ConvCase(const Conv& conv, const ConvForm& form) {
  const size_t dimensions = conv.size.size();
  const auto all = [&](int64_t value) { return Ints(dimensions, value); };
  const std::string base = absl::StrCat(
      conv.transposed ? "conv_transpose" : "conv", dimensions, "d");
  EngineCase made;
  made.op = absl::StrCat("quantized::", base, form.relu ? "_relu" : "");
  if (form.channels_last) {
    made.traits.emplace_back("channels-last");
  }
  made.traits.push_back(absl::StrCat("kernel ", Product(all(conv.kernel))));
  if (conv.stride > 1) {
    made.traits.push_back(absl::StrCat("stride ", conv.stride));
    made.traits.emplace_back("a stride");
  }
  if (conv.padding > 0) {
    made.traits.emplace_back("padding");
  }
  if (conv.dilation > 1) {
    made.traits.emplace_back("dilation");
  }
  if (conv.groups > 1) {
    made.traits.emplace_back(
        conv.groups == conv.in && conv.in == conv.out ? "depthwise" : "groups");
  }
  if (conv.output_padding > 0) {
    made.traits.emplace_back("output padding");
  }
  made.traits.emplace_back(form.per_channel ? "a scale for each channel"
                                            : "one scale for all channels");
  made.traits.emplace_back(conv.in == conv.out
                               ? "as many input as output channels"
                               : "unequal numbers of channels");
  made.traits.push_back(absl::StrCat(conv.in, " input channels"));
  Ints input = {2, conv.in};
  input.insert(input.end(), conv.size.begin(), conv.size.end());
  Ints weight = conv.transposed ? Ints{conv.in, conv.out / conv.groups}
                                : Ints{conv.out, conv.in / conv.groups};
  int64_t terms = conv.in / conv.groups;
  for (size_t i = 0; i < dimensions; ++i) {
    weight.push_back(conv.kernel);
    terms *= conv.kernel;
  }
  made.tensors = {
      {"x", Kind::kQuint8, input, 0.03, 64, form.channels_last},
      {"w", form.per_channel ? Kind::kQint8PerChannel : Kind::kQint8, weight,
       0.02},
      {"b", Kind::kFloat, {conv.out}}};
  const std::string stride = List(all(conv.stride));
  const std::string padding = List(all(conv.padding));
  const std::string dilation = List(all(conv.dilation));
  const std::string output_padding = List(all(conv.output_padding));
  made.pack = absl::StrCat(
      "torch.ops.quantized.", base, "_prepack(w, b, ", stride, ", ", padding,
      ", ", conv.transposed ? absl::StrCat(output_padding, ", ") : "", dilation,
      ", ", conv.groups, ")");
  made.call = {
      Call(made.op, absl::StrCat("x, packed, ", OutputScale(terms), ", 64"))};
  made.reference = {absl::StrCat(
      "z = torch.ops.aten.", base, "(x.dequantize(), w.dequantize(), b, ",
      stride, ", ", padding, ", ",
      conv.transposed
          ? absl::StrCat(output_padding, ", ", conv.groups, ", ", dilation)
          : absl::StrCat(dilation, ", ", conv.groups),
      ")")};
  if (form.relu) {
    made.reference.emplace_back("z = torch.ops.aten.relu(z)");
  }
  return made;
}

void AddConvs(bool quick, std::vector<EngineCase>& cases) {
  std::vector<Conv> plain = {
      {/*in=*/16, /*out=*/16},
      {/*in=*/3, /*out=*/8, /*kernel=*/3, /*stride=*/1, /*padding=*/1},
      {/*in=*/16, /*out=*/32, /*kernel=*/3, /*stride=*/2, /*padding=*/1},
      // With AMX, oneDNN 2.6 writes behind the output for these images.
      {/*in=*/64, /*out=*/32, /*kernel=*/1, /*stride=*/1, /*padding=*/0,
       /*dilation=*/1, /*groups=*/1, /*size=*/{3, 9}},
      {/*in=*/64, /*out=*/32, /*kernel=*/1, /*stride=*/1, /*padding=*/0,
       /*dilation=*/1, /*groups=*/1, /*size=*/{5, 9}},
      // With AVX2, two threads of oneDNN write the same outputs.
      {/*in=*/24, /*out=*/48, /*kernel=*/1, /*stride=*/2, /*padding=*/0,
       /*dilation=*/1, /*groups=*/1, /*size=*/{14, 14}},
      {/*in=*/16, /*out=*/16, /*kernel=*/3, /*stride=*/1, /*padding=*/1,
       /*dilation=*/1, /*groups=*/16},
      {/*in=*/16, /*out=*/32, /*kernel=*/3, /*stride=*/1, /*padding=*/0,
       /*dilation=*/1, /*groups=*/4},
      {/*in=*/16, /*out=*/16, /*kernel=*/3, /*stride=*/1, /*padding=*/2,
       /*dilation=*/2},
  };
  if (!quick) {
    for (const int64_t in : {1, 5, 8, 24, 40, 72}) {
      for (const int64_t kernel : {1, 2, 5}) {
        for (const int64_t stride : {1, 2, 3}) {
          plain.push_back({in, /*out=*/12, kernel, stride});
        }
      }
      plain.push_back({in, in, /*kernel=*/5, /*stride=*/2, /*padding=*/2,
                       /*dilation=*/1, /*groups=*/in});
    }
    for (const Ints& size :
         {Ints{6, 6}, Ints{3, 13}, Ints{6, 7}, Ints{4, 12}, Ints{1, 1}}) {
      plain.push_back({/*in=*/64, /*out=*/32, /*kernel=*/1, /*stride=*/1,
                       /*padding=*/0, /*dilation=*/1, /*groups=*/1, size});
    }
  }
  for (const bool relu : {false, true}) {
    for (const Conv& conv : plain) {
      for (const bool per_channel : {false, true}) {
        for (const bool channels_last : {false, true}) {
          cases.push_back(ConvCase(conv, {relu, per_channel, channels_last}));
        }
      }
    }
  }
  for (const Ints& size : {Ints{17}, Ints{5, 4, 6}}) {
    for (const bool relu : {false, true}) {
      for (Conv conv : {Conv{/*in=*/16, /*out=*/16},
                        Conv{/*in=*/8, /*out=*/12, /*kernel=*/3, /*stride=*/2,
                             /*padding=*/1},
                        Conv{/*in=*/8, /*out=*/8, /*kernel=*/3, /*stride=*/1,
                             /*padding=*/1, /*dilation=*/1, /*groups=*/8}}) {
        conv.size = size;
        for (const bool per_channel : {false, true}) {
          cases.push_back(ConvCase(conv, {relu, per_channel}));
        }
      }
    }
  }
  for (const Ints& size : {Ints{9}, Ints{5, 6}, Ints{3, 4, 5}}) {
    for (Conv conv : {Conv{/*in=*/2, /*out=*/3}, Conv{/*in=*/4, /*out=*/4},
                      Conv{/*in=*/16, /*out=*/8, /*kernel=*/2, /*stride=*/2},
                      Conv{/*in=*/8, /*out=*/4, /*kernel=*/3, /*stride=*/1,
                           /*padding=*/1, /*dilation=*/1, /*groups=*/2},
                      Conv{/*in=*/4, /*out=*/4, /*kernel=*/3, /*stride=*/2,
                           /*padding=*/1}}) {
      conv.size = size;
      conv.transposed = true;
      cases.push_back(ConvCase(conv, {}));
      if (conv.stride > 1) {
        conv.output_padding = 1;
        cases.push_back(ConvCase(conv, {}));
      }
    }
  }
}

EngineCase LinearCase(int64_t in, int64_t out, const Ints& rows, bool relu,
                      bool per_channel) {
  EngineCase made;
  made.op = relu ? "quantized::linear_relu" : "quantized::linear";
  made.traits = {
      per_channel ? "a scale for each channel" : "one scale for all channels",
      absl::StrCat(rows.size() + 1, " dimensions"),
      absl::StrCat(in, " input channels")};
  Ints input = rows;
  input.push_back(in);
  made.tensors = {{"x", Kind::kQuint8, input},
                  {"w",
                   per_channel ? Kind::kQint8PerChannel : Kind::kQint8,
                   {out, in},
                   0.02},
                  {"b", Kind::kFloat, {out}}};
  made.pack = "torch.ops.quantized.linear_prepack(w, b)";
  made.call = {
      Call(made.op, absl::StrCat("x, packed, ", OutputScale(in), ", 64"))};
  made.reference = {
      "z = torch.ops.aten.linear(x.dequantize(), w.dequantize(), b)"};
  if (relu) {
    made.reference.emplace_back("z = torch.ops.aten.relu(z)");
  }
  return made;
}

EngineCase DynamicLinearCase(int64_t in, int64_t out, bool per_channel) {
  EngineCase made = LinearCase(in, out, {4}, /*relu=*/false, per_channel);
  made.op = "quantized::linear_dynamic";
  made.gives_float = true;
  made.tensors[0].kind = Kind::kFloat;
  made.call = {Call(made.op, "x, packed, True")};
  // The input is quantized to 7 bits, as the argument True says.
  made.reference = {
      "s, p = torch.ops.aten._choose_qparams_per_tensor(x, True)",
      "q = torch.ops.aten.quantize_per_tensor(x, s, p, torch.quint8)",
      "z = torch.ops.aten.linear(q.dequantize(), w.dequantize(), b)"};
  return made;
}

void AddLinears(bool quick, std::vector<EngineCase>& cases) {
  std::vector<Ints> sizes = {{16, 8}, {64, 10}, {7, 5}};
  if (!quick) {
    sizes.insert(sizes.end(), {{1, 1}, {3, 40}, {100, 33}, {256, 64}});
  }
  for (const bool relu : {false, true}) {
    for (const Ints& size : sizes) {
      for (const bool per_channel : {false, true}) {
        for (const Ints& rows : {Ints{4}, Ints{3, 5}}) {
          cases.push_back(
              LinearCase(size[0], size[1], rows, relu, per_channel));
        }
      }
    }
  }
  for (const Ints& size : sizes) {
    for (const bool per_channel : {false, true}) {
      cases.push_back(DynamicLinearCase(size[0], size[1], per_channel));
    }
  }
}

// Returns `engine_case`, a layer, with a call before it whose output has half
// the scale and twice the zero point, and whose input has half the scale and
// `zero_point`. Engines that keep what they prepared for the first layer must
// not take it for the second.
//
// With `has_other`, a third call is between the two, of another ratio.
EngineCase AfterSameRatio(EngineCase engine_case, int64_t terms,
                          int64_t zero_point, bool has_other) {
  engine_case.traits = {
      "it comes after a layer with the same ratio of scales",
      has_other ? "another layer is between" : "no layer is between"};
  CaseTensor before = engine_case.tensors[0];
  before.name = "before";
  before.scale /= 2;
  before.zero_point = zero_point;
  engine_case.tensors.push_back(before);
  const double scale = OutputScale(terms);
  // Each call takes its zero point from the one before, so that LibTorch drops
  // none.
  engine_case.call = {
      Call(engine_case.op,
           absl::StrCat("before, packed_before, ", scale / 2, ", 128")),
      Call(engine_case.op,
           absl::StrCat("x, packed, ", scale, ", y.q_zero_point() // 2"))};
  engine_case.packed.emplace_back("packed_before");
  if (has_other) {
    engine_case.packed.emplace_back("packed_between");
    engine_case.call.insert(
        engine_case.call.begin() + 1,
        Call(engine_case.op, absl::StrCat("x, packed_between, ", 3 * scale,
                                          ", y.q_zero_point()")));
  }
  return engine_case;
}

// Returns a case of an op that has one input and keeps its qparams, or chooses
// its own: `arguments` are those behind x.
EngineCase UnaryCase(absl::string_view op, const std::string& arguments,
                     const std::string& reference, const Ints& shape,
                     bool channels_last) {
  EngineCase made;
  made.op = std::string(op);
  if (channels_last) {
    made.traits.emplace_back("channels-last");
  }
  made.traits.push_back(absl::StrCat(shape.size(), " dimensions"));
  made.tensors = {{"x", Kind::kQuint8, shape, 0.03, 64, channels_last}};
  made.call = {Call(op, absl::StrCat("x", arguments))};
  made.reference = {absl::StrCat("z = ", reference)};
  return made;
}

// An op with one input.
struct Unary {
  absl::string_view op;
  // What stands behind x in the call.
  const char* arguments = "";
  // What it computes of v, the dequantized input; empty for the same op with
  // the same arguments.
  const char* reference = "";
  // The one number of dimensions that it takes; 0 for any.
  int64_t dimensions = 0;
};

constexpr Unary kUnary[] = {
    {"aten::relu"},
    {"aten::clamp", ", -0.5, 1.0"},
    {"aten::hardtanh", ", -0.5, 1.0"},
    {"quantized::relu6", "", "torch.ops.aten.clamp(v, 0.0, 6.0)"},
    {"aten::hardsigmoid"},
    {"aten::sigmoid"},
    {"aten::tanh"},
    {"quantized::hardswish", ", 0.02, 10", "torch.ops.aten.hardswish(v)"},
    {"quantized::elu", ", 0.02, 40, 1.0, 1.0, 1.0",
     "torch.ops.aten.elu(v, 1.0, 1.0, 1.0)"},
    {"quantized::leaky_relu", ", 0.1, False, 0.02, 20",
     "torch.ops.aten.leaky_relu(v, 0.1)"},
    {"aten::leaky_relu", ", 0.1"},
    {"quantized::add_scalar", ", 0.7", "v + 0.7"},
    {"quantized::mul_scalar", ", 1.5", "v * 1.5"},
    {"aten::max_pool2d", ", [3, 2], [2, 2], [1, 1], [1, 1], False", "", 4},
    {"aten::avg_pool2d", ", [3, 3], [2, 2], [1, 1], False, True", "", 4},
    {"aten::adaptive_avg_pool2d", ", [1, 1]", "", 4},
    {"aten::adaptive_avg_pool2d", ", [3, 2]", "", 4},
    {"aten::mean", ", [2, 3], True", "", 4},
    {"aten::upsample_nearest2d", ", [10, 14], None, None", "", 4},
    {"aten::upsample_bilinear2d", ", [10, 14], False, None, None", "", 4},
    {"quantized::group_norm", ", 2, None, None, 1e-05, 0.03, 64",
     "torch.ops.aten.group_norm(v, 2, None, None, 1e-05, False)", 4},
    {"quantized::instance_norm", ", None, None, 1e-05, 0.03, 64",
     "torch.ops.aten.instance_norm(v, None, None, None, None, True, 0.1, "
     "1e-05, False)",
     4},
    {"quantized::layer_norm", ", [6], None, None, 1e-05, 0.03, 64",
     "torch.ops.aten.layer_norm(v, [6], None, None, 1e-05, False)"},
};

void AddUnary(bool quick, std::vector<EngineCase>& cases) {
  std::vector<Ints> shapes = {{2, 8, 5, 6}, {5, 6}};
  if (!quick) {
    shapes.insert(shapes.end(),
                  {{1, 4, 1, 6}, {3, 32, 9, 6}, {2, 4, 11, 6}, {4, 3, 6}, {6}});
  }
  for (const Unary& unary : kUnary) {
    for (const Ints& shape : shapes) {
      const auto dimensions = static_cast<int64_t>(shape.size());
      if (unary.dimensions != 0 && unary.dimensions != dimensions) {
        continue;
      }
      for (const bool channels_last : {false, true}) {
        if (channels_last && dimensions != 4) {
          continue;
        }
        std::string reference = unary.reference;
        if (reference.empty()) {
          reference = absl::StrCat("torch.ops.",
                                   absl::StrReplaceAll(unary.op, {{"::", "."}}),
                                   "(v", unary.arguments, ")");
        }
        EngineCase made = UnaryCase(unary.op, unary.arguments, reference, shape,
                                    channels_last);
        made.reference.insert(made.reference.begin(), "v = x.dequantize()");
        cases.push_back(std::move(made));
      }
    }
  }
}

void AddBinary(std::vector<EngineCase>& cases) {
  for (const char* name : {"add", "add_relu", "mul", "mul_relu"}) {
    const bool relu = absl::EndsWith(name, "_relu");
    const bool adds = absl::StartsWith(name, "add");
    for (const bool equal_scales : {true, false}) {
      for (const bool channels_last : {false, true}) {
        EngineCase made;
        made.op = absl::StrCat("quantized::", name);
        if (channels_last) {
          made.traits.emplace_back("channels-last");
        }
        made.traits.emplace_back(equal_scales ? "inputs of one scale"
                                              : "inputs of two scales");
        const Ints shape = {2, 8, 5, 7};
        made.tensors = {{"a", Kind::kQuint8, shape, 0.03, 64, channels_last},
                        {"b", Kind::kQuint8, shape, equal_scales ? 0.03 : 0.011,
                         equal_scales ? 64 : 50, channels_last}};
        made.call = {Call(made.op, "a, b, 0.05, 60")};
        made.reference = {adds ? "z = a.dequantize() + b.dequantize()"
                               : "z = a.dequantize() * b.dequantize()"};
        if (relu) {
          made.reference.emplace_back("z = torch.ops.aten.relu(z)");
        }
        cases.push_back(std::move(made));
      }
    }
  }
}

void AddCats(std::vector<EngineCase>& cases) {
  for (const bool channels_last : {false, true}) {
    for (const bool equal_scales : {true, false}) {
      EngineCase made;
      made.op = "quantized::cat";
      if (channels_last) {
        made.traits.emplace_back("channels-last");
      }
      made.traits.emplace_back(equal_scales ? "inputs of one scale"
                                            : "inputs of two scales");
      made.tensors = {
          {"a", Kind::kQuint8, {2, 8, 5, 7}, 0.03, 64, channels_last},
          {"b",
           Kind::kQuint8,
           {2, 4, 5, 7},
           equal_scales ? 0.03 : 0.011,
           equal_scales ? 64 : 50,
           channels_last}};
      made.call = {Call(made.op, "[a, b], 1, 0.03, 64")};
      made.reference = {
          "z = torch.ops.aten.cat([a.dequantize(), b.dequantize()], 1)"};
      cases.push_back(std::move(made));
    }
  }
}

void AddBatchNorms(std::vector<EngineCase>& cases) {
  for (const char* op :
       {"quantized::batch_norm2d", "quantized::batch_norm2d_relu"}) {
    for (const bool channels_last : {false, true}) {
      EngineCase made;
      made.op = op;
      if (channels_last) {
        made.traits.emplace_back("channels-last");
      }
      made.tensors = {
          {"x", Kind::kQuint8, {2, 8, 5, 7}, 0.03, 64, channels_last},
          {"w", Kind::kFloat, {8}},
          {"b", Kind::kFloat, {8}},
          {"m", Kind::kFloat, {8}},
          {"r", Kind::kFloat, {8}}};
      // A variance is not negative.
      made.call = {Call(op, "x, w, b, m, r * r + 0.5, 1e-05, 0.05, 64")};
      made.reference = {
          "z = torch.ops.aten.batch_norm(x.dequantize(), w, b, m, r * r + 0.5, "
          "False, 0.1, 1e-05, False)"};
      if (absl::EndsWith(op, "_relu")) {
        made.reference.emplace_back("z = torch.ops.aten.relu(z)");
      }
      cases.push_back(std::move(made));
    }
  }
}

}  // namespace

std::vector<EngineCase> EngineCases(bool quick) {
  std::vector<EngineCase> cases;
  AddConvs(quick, cases);
  AddLinears(quick, cases);
  AddUnary(quick, cases);
  AddBinary(cases);
  AddCats(cases);
  AddBatchNorms(cases);
  constexpr int64_t kIn = 16;
  constexpr int64_t kTerms = kIn * 3 * 3;
  for (const int64_t zero_point : {64, 128}) {
    for (const bool has_other : {false, true}) {
      cases.push_back(AfterSameRatio(ConvCase(Conv{/*in=*/kIn}, {}), kTerms,
                                     zero_point, has_other));
      cases.push_back(AfterSameRatio(
          LinearCase(kIn, 8, {4}, /*relu=*/false, /*per_channel=*/false), kIn,
          zero_point, has_other));
    }
  }
  // Cases of one op are one group, in which the first is the simplest.
  std::stable_sort(
      cases.begin(), cases.end(),
      [](const EngineCase& a, const EngineCase& b) { return a.op < b.op; });
  return cases;
}

}  // namespace ns
