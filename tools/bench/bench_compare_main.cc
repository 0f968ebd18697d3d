// What comparing costs, against running the two models.
//
//   bazel run -c opt //tools:bench_compare -- --float=F.pt --quantized=Q.pt
//       --inputs=I.pt
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/module_file.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/suite/pair_runner.h"
#include "passes/matching/graph_matcher.h"
#include "passes/runtime/onednn_faults.h"
#include "tools/bench/kernels/averages.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/run_command.h"
#include "tools/command_line/threads.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"float", "PATH", "the float model, saved by torch.jit.save"},
    {"quantized", "PATH", "the quantized model made from it"},
    {"inputs", "PATH", "a file of batches; the first is used"},
    {"rounds", "N", "how often everything is run; default 30"},
    {"threads", "N", "threads within one op; default 1"},
    {"only", "", "only the comparison of activations, by itself"},
};

constexpr CommandSpec kSpec = {
    "bench_compare",
    "times comparisons of two models against plain inference of both",
    "bench_compare --float=PATH --quantized=PATH --inputs=PATH [--flag=value "
    "...]",
    "Everything is run in turn, round by round; times are the median of all "
    "rounds.\n'frozen' is torch.jit.freeze.\n",
    kFlags,
    "bench_compare --float=tools/demo/float.pt "
    "--quantized=tools/demo/quantized.pt --inputs=tools/demo/images.pt",
};

struct Task {
  std::string name;
  std::function<absl::Status()> run;
  // As many runs of the float model it does, besides one of the quantized one;
  // 0 for plain inference.
  int floats = 0;
  std::vector<double> milliseconds{};

  double Median() const { return bench::Median(milliseconds); }
};

// Runs a module as a user would: frozen, by LibTorch's executor.
class FrozenModule {
 public:
  static absl::StatusOr<FrozenModule> FromFile(const std::string& path) {
    NS_ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
    return CatchTorchErrors(path, [&] {
      module.eval();
      return FrozenModule(torch::jit::freeze(module));
    });
  }

  absl::Status Run(const Batch& batch) {
    return CatchTorchErrors("running", [&] {
      c10::InferenceMode inference;
      module_.forward(batch.arguments, batch.keywords);
    });
  }

 private:
  explicit FrozenModule(const torch::jit::Module& module) : module_(module) {}
  torch::jit::Module module_;
};

absl::Status RunAll(std::vector<Task>& tasks, int64_t rounds) {
  constexpr int kWarmUp = 3;
  for (int64_t round = -kWarmUp; round < rounds; ++round) {
    for (Task& task : tasks) {
      const auto start = std::chrono::steady_clock::now();
      NS_RETURN_IF_ERROR(task.run());
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      if (round >= 0) {
        task.milliseconds.push_back(time.count());
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<PairRunner> Runner(const ModelGraph& a, const ModelGraph& b,
                                  const MatchResult& matches, bool shadows,
                                  bool exact, bool histograms = false,
                                  bool parts = false) {
  CompareOptions options;
  options.shadows = shadows;
  options.exact = exact;
  options.histograms = histograms;
  options.parts = parts;
  return PairRunner::Create(a, b, matches, options);
}

absl::Status Bench(const Flags& flags) {
  NS_ASSIGN_OR_RETURN(const std::string float_path, flags.Required("float"));
  NS_ASSIGN_OR_RETURN(const std::string quantized_path,
                      flags.Required("quantized"));
  NS_ASSIGN_OR_RETURN(const std::string inputs, flags.Required("inputs"));
  NS_ASSIGN_OR_RETURN(const auto threads, flags.Number("threads", 1));
  NS_ASSIGN_OR_RETURN(const auto rounds, flags.Number("rounds", 1));
  SetThreads(static_cast<int>(threads.value_or(1)));

  NS_ASSIGN_OR_RETURN(const BatchReader reader, BatchReader::Open({inputs}));
  NS_ASSIGN_OR_RETURN(const Batch batch, reader.Read(0));
  NS_ASSIGN_OR_RETURN(FrozenModule plain_float,
                      FrozenModule::FromFile(float_path));
  NS_ASSIGN_OR_RETURN(FrozenModule plain_quantized,
                      FrozenModule::FromFile(quantized_path));
  NS_ASSIGN_OR_RETURN(const ModelGraph a, ModelGraph::FromFile(float_path));
  NS_ASSIGN_OR_RETURN(const ModelGraph b, ModelGraph::FromFile(quantized_path));
  NS_ASSIGN_OR_RETURN(const MatchResult matches, MatchSubgraphs(a, b));
  NS_ASSIGN_OR_RETURN(PairRunner activations,
                      Runner(a, b, matches, false, false));
  NS_ASSIGN_OR_RETURN(PairRunner shadows, Runner(a, b, matches, true, false));
  NS_ASSIGN_OR_RETURN(PairRunner exact, Runner(a, b, matches, false, true));
  NS_ASSIGN_OR_RETURN(PairRunner exact_shadows,
                      Runner(a, b, matches, true, true));
  NS_ASSIGN_OR_RETURN(PairRunner histograms,
                      Runner(a, b, matches, false, false, true));
  NS_ASSIGN_OR_RETURN(PairRunner shadow_histograms,
                      Runner(a, b, matches, true, false, true));
  NS_ASSIGN_OR_RETURN(PairRunner parts,
                      Runner(a, b, matches, true, false, false, true));
  std::vector<Task> tasks = {
      {"float model, frozen", [&] { return plain_float.Run(batch); }},
      {"quantized model, frozen", [&] { return plain_quantized.Run(batch); }},
      {"activations", [&] { return activations.Run(batch); }, 1},
      {"activations and shadows", [&] { return shadows.Run(batch); }, 2},
      {"activations, --exact", [&] { return exact.Run(batch); }, 1},
      {"activations and shadows, --exact",
       [&] { return exact_shadows.Run(batch); }, 2},
      {"activations, histograms", [&] { return histograms.Run(batch); }, 1},
      {"activations and shadows, histograms",
       [&] { return shadow_histograms.Run(batch); }, 2},
      {"activations, shadows and --parts", [&] { return parts.Run(batch); }, 3},
  };
  if (flags.Has("only")) {
    std::vector<Task> only = {tasks[2]};
    NS_RETURN_IF_ERROR(RunAll(only, rounds.value_or(30)));
    std::printf("%-35s %8.2f ms\n", only[0].name.c_str(), only[0].Median());
    return absl::OkStatus();
  }
  NS_RETURN_IF_ERROR(RunAll(tasks, rounds.value_or(30)));
  const double of_float = tasks[0].Median();
  const double of_quantized = tasks[1].Median();
  for (const Task& task : tasks) {
    std::printf("%-35s %8.2f ms", task.name.c_str(), task.Median());
    if (task.floats > 0) {
      std::printf("  %5.2f x (%d float + quantized)",
                  task.Median() / (task.floats * of_float + of_quantized),
                  task.floats);
    }
    std::printf("\n");
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) {
  ns::AvoidOneDnnFaults();
  return ns::RunCommand(ns::kSpec, argc, argv, ns::Bench);
}
