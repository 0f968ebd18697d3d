#include "ns/engine_check/layer_cases.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
  made.call = {CallLine(
      made.op, absl::StrCat("x, packed, ", OutputScale(terms), ", 64"))};
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
      CallLine(made.op, absl::StrCat("x, packed, ", OutputScale(in), ", 64"))};
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
  made.call = {CallLine(made.op, "x, packed, True")};
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
      CallLine(engine_case.op,
               absl::StrCat("before, packed_before, ", scale / 2, ", 128")),
      CallLine(engine_case.op,
               absl::StrCat("x, packed, ", scale, ", y.q_zero_point() // 2"))};
  engine_case.packed.emplace_back("packed_before");
  if (has_other) {
    engine_case.packed.emplace_back("packed_between");
    engine_case.call.insert(
        engine_case.call.begin() + 1,
        CallLine(engine_case.op, absl::StrCat("x, packed_between, ", 3 * scale,
                                              ", y.q_zero_point()")));
  }
  return engine_case;
}

}  // namespace

std::vector<EngineCase> LayerCases(bool quick) {
  std::vector<EngineCase> cases;
  AddConvs(quick, cases);
  AddLinears(quick, cases);
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
  return cases;
}

}  // namespace ns
