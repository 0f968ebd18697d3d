// What lowering a quantized model gains.
//
//   bazel run -c opt //tools:bench_models -- --quantized=Q.pt --lowered=L.pt
//       --input=1,3,224,224

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/module_file.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/engines.h"
#include "tools/bench/kernels/blocks.h"
#include "tools/bench/kernels/output_difference.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/run_command.h"
#include "tools/command_line/threads.h"
#include "tools/flags/engine_flag.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"quantized", "PATH", "the quantized model, saved by torch.jit.save"},
    {"lowered", "PATH", "the same, lowered"},
    {"float", "PATH", "the float model, to be timed, too"},
    {"input", "N,...", "sizes of one float tensor, filled with randn"},
    {"inputs", "PATH", "or a file of batches, of which the first is used"},
    {"engine", "NAME", "of LibTorch; default the first that can load both"},
    {"threads", "N,...", "numbers of threads within one op; default 1"},
    {"seconds", "S", "for each model and number of threads; default 5"},
    {"rounds", "N", "blocks of each model; default 40"},
};

constexpr CommandSpec kSpec = {
    "bench_models",
    "times a quantized model before and after lowering",
    "bench_models --quantized=PATH --lowered=PATH --input=N,... "
    "[--flag=value ...]",
    "All are frozen and run by LibTorch's executor, in blocks, in turn, in one "
    "process.\nTimes are of the fastest block; of a float model, of the faster "
    "way to run it:\nfrozen, or optimized for inference. Prints how far the "
    "outputs are from each other,\ntoo.\n",
    kFlags,
    "bench_models "
    "--quantized=tools/demo/quantized.pt --lowered=tools/demo/quantized.pt "
    "--inputs=tools/demo/images.pt",
};

struct Options {
  std::string quantized;
  std::string lowered;
  std::string float_model;  // empty for none
  std::vector<int64_t> threads = {1};
  bench::BlockOptions blocks;
};

absl::StatusOr<std::vector<int64_t>> Numbers(const Flags& flags,
                                             absl::string_view name) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> texts, flags.List(name));
  std::vector<int64_t> numbers(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!absl::SimpleAtoi(texts[i], &numbers[i]) || numbers[i] < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, "=", flags.Get(name),
                       " is not a list of numbers of at least 1"));
    }
  }
  return numbers;
}

absl::StatusOr<Options> ReadOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.quantized, flags.Required("quantized"));
  NS_ASSIGN_OR_RETURN(options.lowered, flags.Required("lowered"));
  options.float_model = flags.Get("float");
  NS_ASSIGN_OR_RETURN(const std::vector<int64_t> threads,
                      Numbers(flags, "threads"));
  if (!threads.empty()) {
    options.threads = threads;
  }
  NS_ASSIGN_OR_RETURN(const auto rounds, flags.Number("rounds", 1));
  options.blocks.rounds = static_cast<int>(rounds.value_or(40));
  const std::string seconds = flags.Get("seconds", "5");
  if (!absl::SimpleAtod(seconds, &options.blocks.seconds) ||
      options.blocks.seconds <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--seconds=", seconds, " is not a number above 0"));
  }
  return options;
}

absl::StatusOr<Batch> ReadInput(const Flags& flags) {
  if (flags.Has("input") == flags.Has("inputs")) {
    return absl::InvalidArgumentError("give one of --input and --inputs");
  }
  if (flags.Has("inputs")) {
    NS_ASSIGN_OR_RETURN(const BatchReader reader,
                        BatchReader::Open({flags.Get("inputs")}));
    return reader.Read(0);
  }
  NS_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                      Numbers(flags, "input"));
  at::manual_seed(0);
  Batch batch;
  batch.arguments = {at::randn(sizes)};
  return batch;
}

absl::StatusOr<torch::jit::Module> LoadFrozen(const std::string& path) {
  NS_ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  return CatchTorchErrors(path, [&] {
    module.eval();
    return torch::jit::freeze(module);
  });
}

// The ways to run a float model; none without one. Not all models can be
// optimized for inference.
absl::StatusOr<std::vector<torch::jit::Module>> LoadFloat(
    const std::string& path) {
  std::vector<torch::jit::Module> ways;
  if (path.empty()) {
    return ways;
  }
  NS_ASSIGN_OR_RETURN(torch::jit::Module frozen, LoadFrozen(path));
  NS_ASSIGN_OR_RETURN(torch::jit::Module copy, LoadFrozen(path));
  ways.push_back(std::move(frozen));
  absl::StatusOr<torch::jit::Module> optimized = CatchTorchErrors(
      path, [&] { return torch::jit::optimize_for_inference(copy); });
  if (optimized.ok()) {
    ways.push_back(*std::move(optimized));
  }
  return ways;
}

absl::Status PrintTimes(torch::jit::Module& quantized,
                        torch::jit::Module& lowered,
                        std::vector<torch::jit::Module>& in_float,
                        const Batch& batch, int64_t threads,
                        const bench::BlockOptions& options) {
  const auto run = [&batch](torch::jit::Module& module) {
    return
        [&batch, &module] { module.forward(batch.arguments, batch.keywords); };
  };
  std::vector<bench::Contender> contenders = {{"quantized", run(quantized)},
                                              {"lowered", run(lowered)}};
  for (torch::jit::Module& way : in_float) {
    contenders.push_back({"float", run(way)});
  }
  NS_ASSIGN_OR_RETURN(const std::vector<bench::Timing> timings,
                      CatchTorchErrors("running", [&] {
                        return bench::RunInBlocks(contenders, options);
                      }));
  std::printf("%lld thread%s  quantized %.3f ms  lowered %.3f ms  ratio %.2f",
              static_cast<long long>(threads), threads == 1 ? " " : "s",
              timings[0].Seconds() * 1e3, timings[1].Seconds() * 1e3,
              bench::SpeedRatio(timings[1], timings[0]));
  const auto fastest = std::min_element(
      timings.begin() + 2, timings.end(),
      [](const auto& a, const auto& b) { return a.Seconds() < b.Seconds(); });
  if (fastest != timings.end()) {
    std::printf("  float %.3f ms  ratio %.2f", fastest->Seconds() * 1e3,
                bench::SpeedRatio(timings[1], *fastest));
  }
  std::printf("\n");
  std::fflush(stdout);
  return absl::OkStatus();
}

absl::Status PrintDifferences(torch::jit::Module& quantized,
                              torch::jit::Module& lowered, const Batch& batch) {
  // The first runs profile, the later ones are what they made of it.
  constexpr int kRuns = 3;
  std::vector<std::string> lines;
  absl::Status status = CatchTorchErrors("running", [&] {
    for (int i = 0; i < kRuns; ++i) {
      lines = bench::OutputDifferences(
          quantized.forward(batch.arguments, batch.keywords),
          lowered.forward(batch.arguments, batch.keywords));
    }
  });
  for (size_t i = 0; i < lines.size(); ++i) {
    std::printf("output %zu: %s\n", i, lines[i].c_str());
  }
  return status;
}

// Holds them against each other with so many threads. LibTorch's oneDNN engine
// lays packed weights out for the number of threads of the first run, and fails
// with another one: all are loaded anew.
absl::Status Compare(const Options& options, const Batch& batch,
                     int64_t threads) {
  SetThreads(static_cast<int>(threads));
  NS_ASSIGN_OR_RETURN(torch::jit::Module quantized,
                      LoadFrozen(options.quantized));
  NS_ASSIGN_OR_RETURN(torch::jit::Module lowered, LoadFrozen(options.lowered));
  NS_ASSIGN_OR_RETURN(std::vector<torch::jit::Module> in_float,
                      LoadFloat(options.float_model));
  NS_RETURN_IF_ERROR(PrintDifferences(quantized, lowered, batch));
  return PrintTimes(quantized, lowered, in_float, batch, threads,
                    options.blocks);
}

absl::Status Bench(const Flags& flags) {
  const c10::InferenceMode inference;
  NS_ASSIGN_OR_RETURN(const Options options, ReadOptions(flags));
  NS_ASSIGN_OR_RETURN(const Batch batch, ReadInput(flags));
  NS_ASSIGN_OR_RETURN(const std::string engine, ParseEngine(flags));
  NS_RETURN_IF_ERROR(WithEngine(engine, [&]() -> absl::Status {
    NS_RETURN_IF_ERROR(LoadModule(options.quantized).status());
    return LoadModule(options.lowered).status();
  }));
  for (const int64_t threads : options.threads) {
    NS_RETURN_IF_ERROR(Compare(options, batch, threads));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) {
  return ns::RunCommand(ns::kSpec, argc, argv, ns::Bench);
}
