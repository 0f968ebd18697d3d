// Peak memory of a comparison, by the number of batches.
//
//   bazel run -c opt //tools:bench_memory -- --float=F.pt --quantized=Q.pt
//       --inputs=I.pt
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"
#include "ns/suite/compare_models.h"
#include "ns/suite/numeric_suite.h"
#include "passes/runtime/onednn_faults.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/run_command.h"
#include "tools/command_line/threads.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"float", "PATH", "the float model, saved by torch.jit.save"},
    {"quantized", "PATH", "the quantized model made from it"},
    {"inputs", "PATH", "a file of batches, read again and again"},
    {"threads", "N", "threads within one op; default 1"},
    {"only", "WORK",
     "do this in this process, and measure nothing: inference, activations, "
     "shadows or loggers"},
    {"batches", "N", "how many, with --only"},
};

constexpr CommandSpec kSpec = {
    "bench_memory",
    "measures the peak memory of comparisons of 1, 10 and 100 batches",
    "bench_memory --float=PATH --quantized=PATH --inputs=PATH",
    "Each measurement is a process of its own: its maximum resident set. "
    "'loggers'\nkeep every activation, as the reference suite does; they see "
    "10 batches at most.\n",
    kFlags,
    "bench_memory --float=tools/demo/float.pt "
    "--quantized=tools/demo/quantized.pt --inputs=tools/demo/images.pt",
};

struct Options {
  std::string only;
  int64_t batches = 1;
  std::string float_path;
  std::string quantized_path;
  std::string inputs;
  int threads = 1;
};

// What a process does with `count` batches.
using Work = absl::Status (*)(const Options& options, int64_t count);

absl::StatusOr<BatchReader> Repeated(const Options& options, int64_t count) {
  NS_ASSIGN_OR_RETURN(const BatchReader once,
                      BatchReader::Open({options.inputs}));
  const int64_t files = (count + once.size() - 1) / once.size();
  return BatchReader::Open(std::vector<std::string>(files, options.inputs),
                           count);
}

absl::Status RunOn(ModelGraph& model, Batch batch) {
  NS_RETURN_IF_ERROR(FitBatch(
      model.module().get_method(model.method()).function().getSchema(), batch));
  return model.Run(batch.arguments, batch.keywords).status();
}

absl::Status Infer(ModelGraph& a, ModelGraph& b, const BatchReader& reader) {
  for (int64_t i = 0; i < reader.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, reader.Read(i));
    NS_RETURN_IF_ERROR(RunOn(a, batch));
    NS_RETURN_IF_ERROR(RunOn(b, batch));
  }
  return absl::OkStatus();
}

absl::Status Inference(const Options& options, int64_t count) {
  NS_ASSIGN_OR_RETURN(ModelGraph a, ModelGraph::FromFile(options.float_path));
  NS_ASSIGN_OR_RETURN(ModelGraph b,
                      ModelGraph::FromFile(options.quantized_path));
  NS_ASSIGN_OR_RETURN(const BatchReader reader, Repeated(options, count));
  return Infer(a, b, reader);
}

absl::Status Loggers(const Options& options, int64_t count) {
  NS_ASSIGN_OR_RETURN(const ModelGraph a,
                      ModelGraph::FromFile(options.float_path));
  NS_ASSIGN_OR_RETURN(const ModelGraph b,
                      ModelGraph::FromFile(options.quantized_path));
  NS_ASSIGN_OR_RETURN(LoggedModels logged, AddLoggers("a", a, "b", b));
  NS_ASSIGN_OR_RETURN(const BatchReader reader, Repeated(options, count));
  return Infer(logged.a, logged.b, reader);
}

absl::Status Compare(const Options& options, int64_t count, bool shadows) {
  NS_ASSIGN_OR_RETURN(const ModelGraph a,
                      ModelGraph::FromFile(options.float_path));
  NS_ASSIGN_OR_RETURN(const ModelGraph b,
                      ModelGraph::FromFile(options.quantized_path));
  NS_ASSIGN_OR_RETURN(const BatchReader reader, Repeated(options, count));
  CompareOptions compare;
  compare.weights = false;
  compare.activations = true;
  compare.shadows = shadows;
  return CompareModels(a, b, reader, compare).status();
}

absl::Status Activations(const Options& options, int64_t count) {
  return Compare(options, count, /*shadows=*/false);
}

absl::Status ActivationsAndShadows(const Options& options, int64_t count) {
  return Compare(options, count, /*shadows=*/true);
}

struct Row {
  const char* flag;
  const char* name;
  Work work;
  int64_t most;
};
constexpr Row kRows[] = {
    {"inference", "inference of both models", Inference, 100},
    {"activations", "activations", Activations, 100},
    {"shadows", "activations and shadows", ActivationsAndShadows, 100},
    {"loggers", "loggers", Loggers, 10},
};

// The peak of a process that does the work of `row`, in MB; absent when it
// fails, which it says itself.
std::optional<double> PeakOf(const Row& row, const Options& options,
                             int64_t count) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<std::string> arguments = {
        "bench_memory",
        absl::StrCat("--only=", row.flag),
        absl::StrCat("--batches=", count),
        absl::StrCat("--float=", options.float_path),
        absl::StrCat("--quantized=", options.quantized_path),
        absl::StrCat("--inputs=", options.inputs),
        absl::StrCat("--threads=", options.threads)};
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
      pointers.push_back(const_cast<char*>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    execv("/proc/self/exe", pointers.data());
    std::_Exit(1);
  }
  int status = 0;
  rusage usage = {};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    return std::nullopt;
  }
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

absl::Status Bench(const Options& options) {
  std::printf(
      "peak memory, MB            1 batch  10 batches  100 batches  "
      "most / 1\n");
  for (const Row& row : kRows) {
    std::printf("%-25s", row.name);
    double first = 0;
    double last = 0;
    for (const int64_t count : {1, 10, 100}) {
      const int width = count == 1 ? 9 : count == 10 ? 12 : 13;
      if (count > row.most) {
        std::printf("%*s", width, "-");
        continue;
      }
      const std::optional<double> peak = PeakOf(row, options, count);
      if (!peak) {
        return absl::InternalError(
            absl::StrCat("the process of --only=", row.flag, " failed"));
      }
      std::printf("%*.1f", width, *peak);
      first = first == 0 ? *peak : first;
      last = *peak;
    }
    std::printf("%10.3f\n", last / first);
  }
  return absl::OkStatus();
}

absl::Status DoOnly(const Options& options) {
  SetThreads(options.threads);
  for (const Row& row : kRows) {
    if (options.only == row.flag) {
      return row.work(options, options.batches);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--only=", options.only, " is no work; see --help"));
}

absl::StatusOr<Options> ReadOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.float_path, flags.Required("float"));
  NS_ASSIGN_OR_RETURN(options.quantized_path, flags.Required("quantized"));
  NS_ASSIGN_OR_RETURN(options.inputs, flags.Required("inputs"));
  NS_ASSIGN_OR_RETURN(const auto threads, flags.Number("threads", 1));
  options.threads = static_cast<int>(threads.value_or(1));
  options.only = flags.Get("only");
  NS_ASSIGN_OR_RETURN(const auto batches, flags.Number("batches", 1));
  options.batches = batches.value_or(1);
  return options;
}

absl::Status Run(const Flags& flags) {
  NS_ASSIGN_OR_RETURN(const Options options, ReadOptions(flags));
  return options.only.empty() ? Bench(options) : DoOnly(options);
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) {
  ns::AvoidOneDnnFaults();
  return ns::RunCommand(ns::kSpec, argc, argv, ns::Run);
}
