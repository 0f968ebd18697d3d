#include "ns/engine_check/engine_case.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace ns {
namespace {

constexpr int kSeed = 1;
// The largest absolute code of a weight.
constexpr double kLargestWeight = 100;

// The largest absolute value before quantization.
double Limit(const CaseTensor& tensor) {
  switch (tensor.kind) {
    case CaseTensor::Kind::kFloat:
      return 0;
    case CaseTensor::Kind::kQuint8:
      return tensor.scale * static_cast<double>(tensor.zero_point);
    case CaseTensor::Kind::kQint8:
      return tensor.scale * kLargestWeight;
    case CaseTensor::Kind::kQint8PerChannel:
      return tensor.scale / 2 * kLargestWeight;
  }
  return 0;
}

at::Tensor Make(const CaseTensor& tensor) {
  at::Tensor values = at::randn(tensor.shape);
  if (tensor.channels_last) {
    values = values.contiguous(at::MemoryFormat::ChannelsLast);
  }
  if (tensor.kind == CaseTensor::Kind::kFloat) {
    return values;
  }
  const double limit = Limit(tensor);
  values = values.clamp(-limit, limit);
  if (tensor.kind == CaseTensor::Kind::kQuint8) {
    return at::quantize_per_tensor(values, tensor.scale, tensor.zero_point,
                                   at::kQUInt8);
  }
  if (tensor.kind == CaseTensor::Kind::kQint8) {
    return at::quantize_per_tensor(values, tensor.scale, 0, at::kQInt8);
  }
  const int64_t rows = tensor.shape[0];
  return at::quantize_per_channel(
      values, at::linspace(tensor.scale / 2, tensor.scale, rows, at::kDouble),
      at::zeros({rows}, at::kLong), 0, at::kQInt8);
}

// Returns the line of Python that does what Make does.
std::string InPython(const CaseTensor& tensor) {
  std::string values =
      absl::StrCat("torch.randn(", absl::StrJoin(tensor.shape, ", "), ")");
  if (tensor.channels_last) {
    absl::StrAppend(&values, ".contiguous(memory_format=torch.channels_last)");
  }
  const double limit = Limit(tensor);
  if (tensor.kind != CaseTensor::Kind::kFloat) {
    absl::StrAppend(&values, ".clamp(", -limit, ", ", limit, ")");
  }
  switch (tensor.kind) {
    case CaseTensor::Kind::kFloat:
      break;
    case CaseTensor::Kind::kQuint8:
      values = absl::StrCat("torch.quantize_per_tensor(\n    ", values,
                            ",\n    ", tensor.scale, ", ", tensor.zero_point,
                            ", torch.quint8)");
      break;
    case CaseTensor::Kind::kQint8:
      values = absl::StrCat("torch.quantize_per_tensor(\n    ", values,
                            ",\n    ", tensor.scale, ", 0, torch.qint8)");
      break;
    case CaseTensor::Kind::kQint8PerChannel:
      values = absl::StrFormat(
          "torch.quantize_per_channel(\n    %s,\n"
          "    torch.linspace(%g, %g, %d, dtype=torch.double),\n"
          "    torch.zeros(%d, dtype=torch.long), 0, torch.qint8)",
          values, tensor.scale / 2, tensor.scale, tensor.shape[0],
          tensor.shape[0]);
      break;
  }
  return absl::StrCat(tensor.name, " = ", values, "\n");
}

}  // namespace

std::string CallLine(absl::string_view op, absl::string_view arguments) {
  return absl::StrCat("y = torch.ops.", absl::StrReplaceAll(op, {{"::", "."}}),
                      "(", arguments, ")");
}

std::vector<at::Tensor> CaseTensors(const EngineCase& engine_case) {
  at::manual_seed(kSeed);
  std::vector<at::Tensor> tensors;
  for (const CaseTensor& tensor : engine_case.tensors) {
    tensors.push_back(Make(tensor));
  }
  return tensors;
}

std::string CaseInPython(const EngineCase& engine_case,
                         const std::string& engine, int threads, int repeats) {
  std::string text =
      absl::StrCat("import torch\n\ntorch.backends.quantized.engine = '",
                   engine, "'\ntorch.set_num_threads(", threads,
                   ")\ntorch.manual_seed(", kSeed, ")\n");
  for (const CaseTensor& tensor : engine_case.tensors) {
    absl::StrAppend(&text, InPython(tensor));
  }
  if (!engine_case.pack.empty()) {
    for (const std::string& name : engine_case.packed) {
      absl::StrAppend(&text, name, " = ", engine_case.pack, "\n");
    }
  }
  for (const std::string& line : engine_case.reference) {
    absl::StrAppend(&text, line, "\n");
  }
  absl::StrAppend(&text, "outputs = set()\nsteps = 0\nfor _ in range(", repeats,
                  "):\n");
  for (const std::string& line : engine_case.call) {
    absl::StrAppend(&text, "  ", line, "\n");
  }
  absl::StrAppend(
      &text,
      engine_case.gives_float
          ? "  steps = max(steps, 127 * ((y - z).abs().max() /\n"
            "                           z.abs().max()).item())\n"
            "  outputs.add(y.numpy().tobytes())\n"
          : "  expected = torch.quantize_per_tensor(z, y.q_scale(),\n"
            "                                       y.q_zero_point(), "
            "y.dtype)\n"
            "  error = y.int_repr().int() - expected.int_repr().int()\n"
            "  steps = max(steps, error.abs().max().item())\n"
            "  outputs.add(y.int_repr().numpy().tobytes())\n",
      "print('steps between output and reference, at most:', steps)\n"
      "print('different outputs of equal calls:', len(outputs))\n");
  return text;
}

int64_t CaseSize(const EngineCase& engine_case) {
  int64_t size = 0;
  for (const CaseTensor& tensor : engine_case.tensors) {
    size += std::accumulate(tensor.shape.begin(), tensor.shape.end(),
                            int64_t{1}, std::multiplies<>());
  }
  return size;
}

}  // namespace ns
