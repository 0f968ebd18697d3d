#include "ns/repro/layer_repro_files.h"

#include <ATen/core/List.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/version.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "ir/base/status.h"
#include "ir/files/atomic_file.h"
#include "ir/graph/graph_walk.h"
#include "ir/model/model_graph.h"
#include "ns/batches/write_torch_save.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr std::array<absl::string_view, 4> kNames = {"float.pt", "quantized.pt",
                                                     "inputs.pt", "repro.py"};

// $0 is the name of the layer, $1 of its op, $2 of the engine, as the insides
// of string literals; $3 and $4 are the SQNRs in dB of the inputs that were
// kept and of all data, and $5 the version of LibTorch.
constexpr absl::string_view kScript =
    R"py("""Prints the error that one layer of a quantized model adds by itself.

float.pt and quantized.pt hold the layer of the float and of the quantized
model, inputs.pt what flows into it. Arguments are libraries with ops that the
layer needs, if any. Run it with a python3 that has PyTorch; the files were made
with LibTorch $5.
"""

import os
import sys

try:
  import torch
except ImportError as missing:
  sys.exit(f'{missing}: {sys.executable} has no PyTorch; run this script with '
           'a python3 that has it, such as Debian\'s /usr/bin/python3 with the '
           'package python3-torch')

LAYER = '$0'
OP = '$1'
ENGINE = '$2'
FOLDER = os.path.dirname(os.path.abspath(__file__))

for library in sys.argv[1:]:
  torch.ops.load_library(library)
if ENGINE in torch.backends.quantized.supported_engines:
  torch.backends.quantized.engine = ENGINE

float_layer = torch.jit.load(os.path.join(FOLDER, 'float.pt'))
quantized_layer = torch.jit.load(os.path.join(FOLDER, 'quantized.pt'))


def values(output):
  # Of other tensors than quantized ones, dequantize() would make floats.
  return (output.dequantize() if output.is_quantized else output).to(
      torch.complex128)


signal = error = 0
for batch in torch.load(os.path.join(FOLDER, 'inputs.pt')):
  inputs = batch if isinstance(batch, tuple) else (batch,)
  with torch.no_grad():
    x = values(float_layer(*inputs))
    y = values(quantized_layer(*inputs))
  signal += x.abs().square().sum()
  error += (x - y).abs().square().sum()

sqnr_db = 10 * torch.log10(signal / error)
print(f'{LAYER} ({OP}): SQNR {sqnr_db:.2f} dB here; ns repro measured '
      '$3 dB on these inputs, and $4 dB on all data, as ns compare')
)py";

// The inside of a string literal that prints as `text` does here.
std::string Literal(absl::string_view text) {
  return absl::Utf8SafeCEscape(Printable(text));
}

std::string Script(const LayerRepro& repro, const std::string& engine) {
  const auto db = [](const PairStatistics& statistics) {
    return absl::StrFormat("%.2f", statistics.SqnrDb());
  };
  return absl::Substitute(kScript, Literal(repro.layer), Literal(repro.op),
                          Literal(engine), db(repro.of_kept), db(repro.of_all),
                          TORCH_VERSION);
}

// A list with one batch.
c10::IValue Batches(const std::vector<at::Tensor>& inputs) {
  c10::impl::GenericList batches(c10::AnyType::get());
  if (inputs.size() == 1) {
    batches.emplace_back(inputs[0]);
  } else {
    batches.emplace_back(c10::ivalue::Tuple::create(
        std::vector<c10::IValue>(inputs.begin(), inputs.end())));
  }
  return batches;
}

// Whether the file at `path` is the script of an earlier repro.
bool IsScript(const std::string& path) {
  const absl::string_view first_line = kScript.substr(0, kScript.find('\n'));
  std::string start(first_line.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == first_line;
}

bool IsOpOfTorch(absl::string_view op) {
  for (const absl::string_view prefix :
       {"aten::", "prim::", "quantized::", "_quantized::",
        "quantized_decomposed::", "sparse::", "mkldnn::", "prepacked::"}) {
    if (absl::StartsWith(op, prefix)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> ReproPaths(const std::string& folder) {
  std::vector<std::string> paths;
  for (const absl::string_view name : kNames) {
    paths.push_back((std::filesystem::path(folder) / std::string(name)));
  }
  return paths;
}

absl::Status CheckIsReproFolder(const std::string& folder) {
  const std::vector<std::string> paths = ReproPaths(folder);
  if (IsScript(paths.back())) {
    return absl::OkStatus();
  }
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
      return absl::InvalidArgumentError(absl::StrCat(
          path,
          " exists, and is not of an earlier ns repro, whose files alone "
          "are replaced; name another folder"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<WrittenFile>> WriteLayerRepro(
    const LayerRepro& repro, const std::string& engine,
    const std::string& folder) {
  const std::vector<std::string> paths = ReproPaths(folder);
  const auto save = [](const ModelGraph& model) {
    return [&model](const std::string& path) { return model.Save(path); };
  };
  NS_RETURN_IF_ERROR(WriteFilesAtomically(
      {{paths[0], save(repro.layers.float_layer)},
       {paths[1], save(repro.layers.quantized_layer)},
       {paths[2],
        [&](const std::string& path) {
          return Annotated(
              paths[2], WriteTorchSave(path, Batches(repro.inputs)).status());
        }},
       {paths[3], [&](const std::string& path) {
          return WriteFileAtomically(path, Script(repro, engine));
        }}}));
  std::vector<WrittenFile> files;
  for (const std::string& path : paths) {
    std::error_code error;
    files.push_back(
        {path, static_cast<int64_t>(std::filesystem::file_size(path, error))});
  }
  return files;
}

std::string NeedsOpLibrary(const LayerModules& layers) {
  std::string found;
  for (const ModelGraph* layer :
       {&layers.float_layer, &layers.quantized_layer}) {
    ForEachNode(layer->graph().block(), [&](const torch::jit::Node* node) {
      const absl::string_view op = node->kind().toQualString();
      if (found.empty() && !IsOpOfTorch(op)) {
        found = std::string(op);
      }
    });
  }
  return found;
}

}  // namespace ns
