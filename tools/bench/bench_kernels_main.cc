// Our kernels against other libraries and the limits of the machine.
//
//   bazel run -c opt //tools:bench_kernels
//   bazel run -c opt //tools:bench_kernels -- --help

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "passes/kernels/isa.h"
#include "tools/bench/kernels/machine_table.h"
#include "tools/bench/kernels/measure_layer.h"
#include "tools/bench/kernels/measure_operators.h"
#include "tools/bench/kernels/onednn_peer.h"
#include "tools/bench/kernels/roofline.h"
#include "tools/bench/kernels/sections.h"
#include "tools/bench/kernels/table.h"
#include "tools/bench/kernels/verdicts.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/processors.h"
#include "tools/command_line/run_command.h"
#include "tools/command_line/threads.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"only", "NAMES",
     "some of machine, linear, conv, few_outputs, depthwise, grouped, "
     "resnet50, mobilenet_v2, bert_base, elementwise, operators; default all"},
    {"shapes", "TEXT", "only rows with this in their names"},
    {"threads", "N,...",
     "numbers of threads; default 1 and, with processors, 2"},
    {"batch", "N,...", "batch sizes of models; default 1,8"},
    {"isa", "NAME",
     "what we and oneDNN may use: avx2, avx_vnni, avx512, avx512_vnni, amx; "
     "default what each finds fastest"},
    {"seconds", "S", "for each contender of a row, all blocks; default 0.25"},
    {"rounds", "N", "blocks of each contender; default 40"},
    {"cold", "", "all layers with cold weights; default only linear, too"},
    {"quick", "", "a few small rows, hardly timed: whether it works"},
};

constexpr CommandSpec kSpec = {
    "bench_kernels",
    "times our kernels against oneDNN, LibTorch and the machine's limits",
    "bench_kernels [--flag=value ...]",
    "Contenders run in blocks, in turn, in one process; times are of the "
    "fastest block.\nColumns:\n\n"
    "  count     how many of the layer the model has\n"
    "  us        of ours, a call\n"
    "  GOPS      of ours; GB/s: bytes read and written\n"
    "  % peak    of the fastest arithmetic on vectors (vpdpbusd) in as many "
    "threads\n"
    "  % roof    of the roofline: the fastest arithmetic (of tiles, where ours "
    "uses them),\n            or reading the weights from where they are, "
    "whichever takes longer;\n            of operators: of a memcpy that reads "
    "and writes as much, or of a memset of\n            what is written\n"
    "  oneDNN    how many times as fast as oneDNN's we are, weights "
    "prepacked; its\n            fastest way, named at the end of the line\n"
    "  torch     and as LibTorch's quantized operators, engine onednn\n"
    "  qnnpack   and engine qnnpack\n\n"
    "Warm weights are where the last call left them. Before a call with cold "
    "ones, a\nbuffer larger than the caches is read (at most 128 MB), and then "
    "the activations;\ncalls are timed once this has been done a few "
    "times.\n\nPrints MISMATCH and exits with 1 when answers differ "
    "by more than one step.\n",
    kFlags,
    "bench_kernels --only=linear,resnet50 "
    "--threads=1 --isa=avx512_vnni",
};

constexpr char kMachine[] = "machine";

struct Options {
  std::vector<std::string> only;
  std::vector<int> threads;
  bench::SectionOptions sections;
  bench::MeasureOptions measure;
  bool quick = false;
};

absl::StatusOr<std::vector<int64_t>> Numbers(const Flags& flags,
                                             absl::string_view name,
                                             std::vector<int64_t> otherwise) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> texts, flags.List(name));
  if (texts.empty()) {
    return otherwise;
  }
  std::vector<int64_t> numbers(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!absl::SimpleAtoi(texts[i], &numbers[i]) || numbers[i] < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, "=", flags.Get(name),
                       ": not a list of numbers of at least 1"));
    }
  }
  return numbers;
}

bool IsOneOf(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::StatusOr<std::vector<std::string>> Only(const Flags& flags) {
  std::vector<std::string> known = bench::LayerSections();
  known.insert(known.begin(), kMachine);
  for (const std::string& name : bench::OperatorSections()) {
    known.push_back(name);
  }
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> only, flags.List("only"));
  for (const std::string& name : only) {
    if (!IsOneOf(name, known)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--only=", name, " is none of ", absl::StrJoin(known, ", ")));
    }
  }
  return only.empty() ? known : only;
}

// Limits us and oneDNN alike.
absl::StatusOr<std::optional<kernels::Isa>> ReadIsa(const Flags& flags) {
  if (!flags.Has("isa")) {
    return std::nullopt;
  }
  const std::string name = flags.Get("isa");
  const std::optional<kernels::Isa> isa = kernels::FindIsa(name);
  if (!isa.has_value() || !kernels::IsSupported(*isa)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--isa=", name, " is unknown, or not supported by this machine"));
  }
  if (!bench::LimitOneDnn(*isa)) {
    return absl::InternalError(
        "oneDNN does not take a limit of its "
        "instruction set");
  }
  return isa;
}

absl::StatusOr<Options> ReadOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.only, Only(flags));
  options.sections.filter = flags.Get("shapes");
  options.quick = flags.Has("quick");
  NS_ASSIGN_OR_RETURN(const std::vector<int64_t> threads,
                      Numbers(flags, "threads",
                              options.quick || AvailableProcessors() < 2
                                  ? std::vector<int64_t>{1}
                                  : std::vector<int64_t>{1, 2}));
  options.threads.assign(threads.begin(), threads.end());
  NS_ASSIGN_OR_RETURN(options.sections.batches,
                      Numbers(flags, "batch",
                              options.quick ? std::vector<int64_t>{1}
                                            : std::vector<int64_t>{1, 8}));
  options.sections.cold = flags.Has("cold");
  NS_ASSIGN_OR_RETURN(const auto rounds, flags.Number("rounds", 1));
  options.measure.rounds =
      static_cast<int>(rounds.value_or(options.quick ? 2 : 40));
  const std::string seconds =
      flags.Get("seconds", options.quick ? "0.0001" : "0.25");
  if (!absl::SimpleAtod(seconds, &options.measure.seconds) ||
      options.measure.seconds <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--seconds=", seconds, " is not a number above 0"));
  }
  if (options.quick) {
    options.sections.most_operations = 3e8;
    options.sections.most_layers = 2;
  }
  return options;
}

// Prints the tables of one name and adds their rows.
void Run(const std::string& name, const Options& options,
         std::vector<bench::Row>& rows) {
  const int threads = at::get_num_threads();
  const auto title = [&](absl::string_view what) {
    return absl::StrCat(what, ", ", threads, " thread",
                        threads == 1 ? "" : "s");
  };
  const auto print = [&](const bench::Row& row) {
    std::fputs(bench::FormatRow(row).c_str(), stdout);
    std::fflush(stdout);
    rows.push_back(row);
  };
  const auto summarize = [&](size_t first) {
    std::fputs(bench::FormatSummary(
                   {rows.begin() + static_cast<int64_t>(first), rows.end()})
                   .c_str(),
               stdout);
  };
  if (name == kMachine) {
    std::fputs(bench::MachineTable(options.measure.seconds).c_str(), stdout);
    return;
  }
  if (IsOneOf(name, bench::OperatorSections())) {
    std::fputs(bench::FormatHeader(title(name), "GB/s").c_str(), stdout);
    const size_t first = rows.size();
    bench::MeasureOperators(name, options.measure, options.sections.filter,
                            options.quick, print);
    summarize(first);
    return;
  }
  for (const bench::Section& section :
       bench::SectionsOf(name, options.sections)) {
    const size_t first = rows.size();
    const std::string full_name =
        absl::StrCat(section.name, section.cold ? ", cold" : "");
    std::fputs(bench::FormatHeader(title(full_name), "GOPS").c_str(), stdout);
    bench::MeasureOptions measure = options.measure;
    measure.cold = section.cold;
    for (const bench::Layer& layer : section.layers) {
      bench::Row row = bench::MeasureLayer(layer, measure);
      row.section = full_name;
      print(row);
    }
    summarize(first);
  }
}

absl::Status Bench(const Flags& flags) {
  const c10::InferenceMode inference;
  NS_ASSIGN_OR_RETURN(const std::optional<kernels::Isa> isa, ReadIsa(flags));
  std::optional<kernels::ScopedIsa> scoped;
  if (isa.has_value()) {
    scoped.emplace(*isa);
  }
  NS_ASSIGN_OR_RETURN(const Options options, ReadOptions(flags));
  std::printf("ours: %s; cold: after reading %lld MB\n",
              kernels::IsaName(kernels::ChosenIsa()),
              static_cast<long long>(bench::ColdBytes() >> 20));
  std::vector<bench::Row> rows;
  for (const int threads : options.threads) {
    SetThreads(threads);
    for (const std::string& name : options.only) {
      Run(name, options, rows);
    }
  }
  std::printf("\n%s", bench::FormatVerdicts(rows).c_str());
  const bool agree =
      std::all_of(rows.begin(), rows.end(),
                  [](const bench::Row& row) { return row.mismatch.empty(); });
  return agree ? absl::OkStatus()
               : absl::InternalError("answers differ where the table says so");
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) {
  return ns::RunCommand(ns::kSpec, argc, argv, ns::Bench);
}
