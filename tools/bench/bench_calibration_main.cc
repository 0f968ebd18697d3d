// What a calibration batch costs against plain inference.
//
//   bazel run -c opt //tools:bench_calibration -- --float=F.pt
//       --input=1,3,224,224

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/module_file.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batches.h"
#include "ns/quantization/model/calibrator.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/runtime/observers/observer_names.h"
#include "tools/bench/kernels/blocks.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/keep_memory.h"
#include "tools/command_line/run_command.h"
#include "tools/command_line/threads.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"float", "PATH", "the float model, saved by torch.jit.save"},
    {"input", "N,...", "sizes of one float tensor, filled with randn"},
    {"threads", "N", "within one op; default 1"},
    {"seconds", "S", "for each contender; default 5"},
};

constexpr CommandSpec kSpec = {
    "bench_calibration",
    "times a calibration batch against float inference",
    "bench_calibration --float=PATH --input=N,... [--flag=value ...]",
    "All run in turn, in one process; times are of the fastest block. Plain "
    "inference is\nof the frozen model, optimised inference of what "
    "torch.jit.optimize_for_inference\nmakes of it.\n",
    kFlags,
    "bench_calibration "
    "--float=tools/demo/float.pt --input=16,1,28,28",
};

constexpr ObserverKind kKinds[] = {ObserverKind::kMse, ObserverKind::kMinMax,
                                   ObserverKind::kMovingAverageMinMax,
                                   ObserverKind::kHistogram};

absl::StatusOr<std::vector<int64_t>> Sizes(const Flags& flags) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                      flags.List("input"));
  std::vector<int64_t> sizes(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!absl::SimpleAtoi(texts[i], &sizes[i]) || sizes[i] < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--input=", flags.Get("input"),
                       " is not a list of numbers of at least 1"));
    }
  }
  return sizes;
}

// A module that runs as LibTorch's executor makes it.
absl::StatusOr<torch::jit::Module> Inference(const std::string& path,
                                             bool is_optimised) {
  NS_ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  return CatchTorchErrors(path, [&] {
    module.eval();
    torch::jit::Module frozen = torch::jit::freeze(module);
    return is_optimised ? torch::jit::optimize_for_inference(frozen) : frozen;
  });
}

absl::Status Bench(const Flags& flags) {
  const c10::InferenceMode inference;
  NS_ASSIGN_OR_RETURN(const std::string path, flags.Required("float"));
  NS_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, Sizes(flags));
  NS_ASSIGN_OR_RETURN(const auto threads, flags.Number("threads", 1));
  bench::BlockOptions blocks;
  const std::string seconds = flags.Get("seconds", "5");
  if (!absl::SimpleAtod(seconds, &blocks.seconds) || blocks.seconds <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--seconds=", seconds, " is not a number above 0"));
  }
  KeepFreedMemory();
  SetThreads(static_cast<int>(threads.value_or(1)));
  at::manual_seed(0);
  Batch batch;
  batch.arguments = {at::randn(sizes)};

  NS_ASSIGN_OR_RETURN(torch::jit::Module plain, Inference(path, false));
  NS_ASSIGN_OR_RETURN(torch::jit::Module optimised, Inference(path, true));
  NS_ASSIGN_OR_RETURN(const ModelGraph model, ModelGraph::FromFile(path));
  std::vector<Calibrator> calibrators;
  for (const ObserverKind kind : kKinds) {
    QuantizeOptions options;
    options.observer = kind;
    NS_ASSIGN_OR_RETURN(const ModelGraph prepared,
                        PrepareModel(model, options));
    NS_ASSIGN_OR_RETURN(Calibrator calibrator, Calibrator::Create(prepared));
    calibrators.push_back(std::move(calibrator));
  }
  std::vector<bench::Contender> contenders = {
      {"plain", [&] { plain.forward(batch.arguments); }},
      {"optimised", [&] { optimised.forward(batch.arguments); }}};
  for (size_t i = 0; i < calibrators.size(); ++i) {
    contenders.push_back(
        {std::string(ObserverKindName(kKinds[i])), [&, i] {
           const absl::Status status = calibrators[i].Run(batch, 0);
           TORCH_CHECK(status.ok(), std::string(status.message()));
         }});
  }
  NS_ASSIGN_OR_RETURN(const std::vector<bench::Timing> timings,
                      CatchTorchErrors("running", [&] {
                        return bench::RunInBlocks(contenders, blocks);
                      }));
  std::printf("%-16s %10s %10s %14s\n", "", "ms", "/ plain", "/ optimised");
  for (size_t i = 0; i < timings.size(); ++i) {
    std::printf("%-16s %10.3f %10.2f %14.2f\n", contenders[i].name.c_str(),
                timings[i].Seconds() * 1e3,
                bench::SpeedRatio(timings[0], timings[i]),
                bench::SpeedRatio(timings[1], timings[i]));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) {
  return ns::RunCommand(ns::kSpec, argc, argv, ns::Bench);
}
