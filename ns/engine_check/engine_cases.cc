#include "ns/engine_check/engine_cases.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ns/engine_check/layer_cases.h"

namespace ns {
namespace {

using Kind = CaseTensor::Kind;
using Ints = std::vector<int64_t>;

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
  made.call = {CallLine(op, absl::StrCat("x", arguments))};
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
        made.call = {CallLine(made.op, "a, b, 0.05, 60")};
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
      made.call = {CallLine(made.op, "[a, b], 1, 0.03, 64")};
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
      made.call = {CallLine(op, "x, w, b, m, r * r + 0.5, 1e-05, 0.05, 64")};
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
  std::vector<EngineCase> cases = LayerCases(quick);
  AddUnary(quick, cases);
  AddBinary(cases);
  AddCats(cases);
  AddBatchNorms(cases);
  // Cases of one op are one group, in which the first is the simplest.
  std::stable_sort(
      cases.begin(), cases.end(),
      [](const EngineCase& a, const EngineCase& b) { return a.op < b.op; });
  return cases;
}

}  // namespace ns
