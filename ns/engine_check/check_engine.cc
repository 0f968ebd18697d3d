#include "ns/engine_check/check_engine.h"

#include <ATen/Context.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/compare/engines.h"
#include "ns/engine_check/engine_case.h"
#include "ns/engine_check/engine_cases.h"
#include "ns/engine_check/run_engine_case.h"
#include "passes/kernels/isa.h"
#include "passes/runtime/onednn_faults.h"

namespace ns {
namespace {

constexpr char kOwnKernels[] = "ns";
// A call takes milliseconds.
constexpr unsigned kSecondsPerCase = 60;

// How far a case got. It is in memory that processes share.
struct CaseState {
  enum Step { kNotRun, kRunning, kDone, kRefused };
  Step step = kNotRun;
  CaseOutcome outcome;

  bool IsFaulty() const {
    return step == kRunning || (step == kDone && ns::IsFaulty(outcome));
  }
};

// An array in memory that child processes share with this one.
class SharedStates {
 public:
  static absl::StatusOr<std::unique_ptr<SharedStates>> Create(size_t size) {
    void* const memory =
        mmap(nullptr, size * sizeof(CaseState), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return absl::InternalError(
          absl::StrCat("mmap failed: ", std::strerror(errno)));
    }
    return std::unique_ptr<SharedStates>(
        new SharedStates(static_cast<CaseState*>(memory), size));
  }
  ~SharedStates() { munmap(states_, size_ * sizeof(CaseState)); }
  SharedStates(const SharedStates&) = delete;
  SharedStates& operator=(const SharedStates&) = delete;

  CaseState& operator[](size_t i) { return states_[i]; }

 private:
  SharedStates(CaseState* states, size_t size) : states_(states), size_(size) {
    std::uninitialized_value_construct_n(states_, size_);
  }

  CaseState* const states_;
  const size_t size_;
};

// Runs cases in processes of their own.
class CaseRunner {
 public:
  CaseRunner(const EngineCheckOptions& options, CaseRuns runs)
      : options_(options), runs_(runs) {}

  // Runs those of `cases` that `indices` name, and sets their `states`.
  // `avoid` says whether with the settings of onednn_faults.h. Error: a process
  // cannot be started.
  absl::Status Run(const std::vector<EngineCase>& cases,
                   const std::vector<size_t>& indices, bool avoid,
                   SharedStates& states) const {
    size_t next = 0;
    // A process that ends early leaves the rest to the next one.
    while (next < indices.size()) {
      const pid_t child = fork();
      if (child < 0) {
        return absl::InternalError(
            absl::StrCat("fork failed: ", std::strerror(errno)));
      }
      if (child == 0) {
        RunInChild(cases, indices, next, avoid, states);
        _exit(0);
      }
      int status = 0;
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      while (next < indices.size() &&
             states[indices[next]].step != CaseState::kNotRun) {
        ++next;
      }
      if (next < indices.size() &&
          (next == 0 ||
           states[indices[next - 1]].step != CaseState::kRunning)) {
        return absl::InternalError(
            "a process that calls quantized ops ended before its first call");
      }
    }
    return absl::OkStatus();
  }

 private:
  // An exception ends the process, as the child must not go on as the parent.
  void RunInChild(const std::vector<EngineCase>& cases,
                  const std::vector<size_t>& indices, size_t first, bool avoid,
                  SharedStates& states) const noexcept {
    // What an op prints as it ends the process is no part of the report.
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    if (!avoid) {
      AllowOneDnnFaults();
    }
    const std::string engine =
        options_.engine == kOwnKernels ? "" : options_.engine;
    (void)WithEngine(engine, [&] {
      for (size_t i = first; i < indices.size(); ++i) {
        CaseState& state = states[indices[i]];
        state.step = CaseState::kRunning;
        alarm(kSecondsPerCase);
        const absl::StatusOr<CaseOutcome> outcome =
            RunEngineCase(cases[indices[i]], runs_);
        if (outcome.ok()) {
          state.outcome = *outcome;
        }
        state.step = outcome.ok() ? CaseState::kDone : CaseState::kRefused;
      }
      return absl::OkStatus();
    });
  }

  const EngineCheckOptions& options_;
  const CaseRuns runs_;
};

EngineFaultKind KindOf(const CaseState& state) {
  if (state.step == CaseState::kRunning) {
    return EngineFaultKind::kCrash;
  }
  if (state.outcome.overruns > 0) {
    return EngineFaultKind::kOverrun;
  }
  return state.outcome.outputs > 1 ? EngineFaultKind::kVaries
                                   : EngineFaultKind::kWrong;
}

// Returns the traits that all of `faulty` have and not all of `healthy`.
std::vector<std::string> CommonTraits(
    const std::vector<const EngineCase*>& faulty,
    const std::vector<const EngineCase*>& healthy) {
  std::vector<std::string> common;
  for (const std::string& trait : faulty[0]->traits) {
    const auto has = [&](const EngineCase* one) {
      return absl::c_linear_search(one->traits, trait);
    };
    if (absl::c_all_of(faulty, has) &&
        (healthy.empty() || !absl::c_all_of(healthy, has))) {
      common.push_back(trait);
    }
  }
  return common;
}

// Returns the indices of the cases of each op.
std::vector<std::vector<size_t>> ByOp(const std::vector<EngineCase>& cases) {
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (i == 0 || cases[i].op != cases[i - 1].op) {
      groups.emplace_back();
    }
    groups.back().push_back(i);
  }
  return groups;
}

// Whether the settings of onednn_faults.h can matter to `engine`.
bool HasOneDnn(const std::string& engine) {
  return engine == "onednn" || engine == "x86";
}

CaseRuns RunsOf(const EngineCheckOptions& options) {
  CaseRuns runs;
  // Two threads, also where there is one processor.
  runs.threads =
      std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
  runs.repeats = options.quick ? 3 : 20;
  runs.lowered = options.engine == kOwnKernels;
  return runs;
}

// Checks one op after the other.
class Checker {
 public:
  // All must outlive the object. `states` and `again`, of which it writes one
  // for each case, are for runs without and with the settings of
  // onednn_faults.h.
  Checker(const std::vector<EngineCase>& cases,
          const EngineCheckOptions& options, SharedStates& states,
          SharedStates& again)
      : cases_(cases),
        options_(options),
        runs_(RunsOf(options)),
        runner_(options, runs_),
        states_(states),
        again_(again) {
    check_.engine = options.engine;
    check_.libtorch = TORCH_VERSION;
    check_.processor = kernels::IsaName(kernels::SupportedIsas().back());
    check_.threads = runs_.threads;
  }

  // Checks the op that the cases `indices` call. Error: a process cannot be
  // started.
  absl::Status CheckOp(const std::vector<size_t>& indices) {
    NS_RETURN_IF_ERROR(runner_.Run(cases_, indices, /*avoid=*/false, states_));
    int64_t reached = 0;
    std::vector<size_t> faulty;
    std::vector<const EngineCase*> healthy;
    for (const size_t i : indices) {
      reached += states_[i].step == CaseState::kRefused ? 0 : 1;
      if (states_[i].IsFaulty()) {
        faulty.push_back(i);
      } else if (states_[i].step == CaseState::kDone) {
        healthy.push_back(&cases_[i]);
      }
    }
    check_.cases += reached;
    check_.refused_cases += static_cast<int64_t>(indices.size()) - reached;
    if (reached == 0) {
      check_.refused_ops.push_back(cases_[indices[0]].op);
      return absl::OkStatus();
    }
    ++check_.ops;
    if (HasOneDnn(options_.engine)) {
      NS_RETURN_IF_ERROR(runner_.Run(cases_, faulty, /*avoid=*/true, again_));
    }
    // By kind, and by whether they are avoided.
    std::map<std::pair<EngineFaultKind, bool>, std::vector<size_t>> groups;
    for (const size_t i : faulty) {
      const bool is_avoided =
          HasOneDnn(options_.engine) && !again_[i].IsFaulty();
      groups[{KindOf(states_[i]), is_avoided}].push_back(i);
    }
    for (const auto& [key, group] : groups) {
      EngineFault fault = FaultOf(key.first, group, healthy);
      fault.cases = reached;
      fault.is_avoided = key.second;
      check_.faults.push_back(std::move(fault));
    }
    return absl::OkStatus();
  }

  EngineCheck TakeCheck() { return std::move(check_); }

 private:
  // Returns the fault of kind `kind` that the cases `faulty` show. `healthy`
  // are the other cases of the op that the engine has.
  EngineFault FaultOf(EngineFaultKind kind, const std::vector<size_t>& faulty,
                      const std::vector<const EngineCase*>& healthy) const {
    EngineFault fault;
    fault.op = cases_[faulty[0]].op;
    fault.kind = kind;
    fault.faulty_cases = static_cast<int64_t>(faulty.size());
    fault.needs_threads = kind != EngineFaultKind::kCrash;
    std::vector<const EngineCase*> faulty_cases;
    for (const size_t i : faulty) {
      const CaseOutcome& outcome = states_[i].outcome;
      fault.steps = std::max(fault.steps, outcome.steps);
      fault.share = std::max(fault.share, outcome.share);
      fault.needs_threads = fault.needs_threads && outcome.needs_threads;
      faulty_cases.push_back(&cases_[i]);
    }
    fault.traits = CommonTraits(faulty_cases, healthy);
    if (options_.engine != kOwnKernels) {
      constexpr int kRepeats = 100;
      const EngineCase& smallest = **absl::c_min_element(
          faulty_cases, [](const EngineCase* a, const EngineCase* b) {
            return CaseSize(*a) < CaseSize(*b);
          });
      fault.reproduction =
          CaseInPython(smallest, options_.engine, runs_.threads, kRepeats);
    }
    return fault;
  }

  const std::vector<EngineCase>& cases_;
  const EngineCheckOptions& options_;
  const CaseRuns runs_;
  const CaseRunner runner_;
  SharedStates& states_;
  SharedStates& again_;
  EngineCheck check_;
};

}  // namespace

std::string EngineFaultName(EngineFaultKind kind) {
  switch (kind) {
    case EngineFaultKind::kWrong:
      return "wrong";
    case EngineFaultKind::kVaries:
      return "varies";
    case EngineFaultKind::kOverrun:
      return "overruns";
    case EngineFaultKind::kCrash:
      return "crashes";
  }
  return "";
}

absl::StatusOr<EngineCheck> CheckEngine(const EngineCheckOptions& options) {
  return CheckCases(EngineCases(options.quick), options);
}

absl::StatusOr<EngineCheck> CheckCases(const std::vector<EngineCase>& cases,
                                       const EngineCheckOptions& options) {
  NS_ASSIGN_OR_RETURN(const auto states, SharedStates::Create(cases.size()));
  NS_ASSIGN_OR_RETURN(const auto again, SharedStates::Create(cases.size()));
  Checker checker(cases, options, *states, *again);
  for (const std::vector<size_t>& indices : ByOp(cases)) {
    NS_RETURN_IF_ERROR(checker.CheckOp(indices));
    if (options.progress) {
      options.progress(static_cast<int64_t>(indices.back() + 1),
                       static_cast<int64_t>(cases.size()));
    }
  }
  return checker.TakeCheck();
}

}  // namespace ns
