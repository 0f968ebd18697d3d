// Finds the quantized ops that an engine of LibTorch computes wrongly on this
// processor.
#ifndef NS_ENGINE_CHECK_CHECK_ENGINE_H_
#define NS_ENGINE_CHECK_CHECK_ENGINE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/engine_check/engine_case.h"

namespace ns {

struct EngineCheckOptions {
  // A name of AvailableEngines, or "ns" for the kernels of ns.
  std::string engine;
  // EngineCases(quick), and 3 runs of each on one thread and on several,
  // not 20.
  bool quick = false;
  // Called after each case; may be empty.
  std::function<void(int64_t done, int64_t total)> progress;
};

// What is wrong with an op.
enum class EngineFaultKind {
  // Values are more than one step from the reference, in the same way each
  // time.
  kWrong,
  // Equal calls give different outputs.
  kVaries,
  // Memory behind a tensor is overwritten.
  kOverrun,
  // The process ends, or the call takes longer than a minute.
  kCrash,
};

// "wrong", "varies", "overruns", "crashes".
std::string EngineFaultName(EngineFaultKind kind);

// A fault of one op, of one kind, avoided or not.
struct EngineFault {
  std::string op;
  EngineFaultKind kind = EngineFaultKind::kWrong;
  // How many of the cases of this op have it.
  int64_t faulty_cases = 0;
  int64_t cases = 0;
  // The largest of their CaseOutcome::steps and CaseOutcome::share; 0 for a
  // crash.
  double steps = 0;
  double share = 0;
  // What the faulty cases have in common and not every other one has:
  // "channels-last", "stride 2". Empty if nothing.
  std::vector<std::string> traits;
  // Whether none of them is faulty on one thread.
  bool needs_threads = false;
  // Whether it is gone with the settings that the other commands of ns use
  // (passes/runtime/onednn_faults.h).
  bool is_avoided = false;
  // A Python program that shows the smallest of these cases; empty for the
  // kernels of ns.
  std::string reproduction;
};

struct EngineCheck {
  std::string engine;
  // LibTorch's release, and the best instruction set of the processor.
  std::string libtorch;
  std::string processor;
  int threads = 1;
  int64_t ops = 0;
  int64_t cases = 0;
  // Cases, and ops of which no case, that the engine has no kernel for.
  int64_t refused_cases = 0;
  std::vector<std::string> refused_ops;
  // In the order of ops.
  std::vector<EngineFault> faults;
};

// Checks each op in a process of its own, so that one that crashes does not end
// this one. To be called before ops of LibTorch run in this process, as threads
// do not outlive a fork. Error: a process cannot be started.
absl::StatusOr<EngineCheck> CheckEngine(const EngineCheckOptions& options);

// Does the same with other cases; those of one op are next to each other.
absl::StatusOr<EngineCheck> CheckCases(const std::vector<EngineCase>& cases,
                                       const EngineCheckOptions& options);

}  // namespace ns

#endif  // NS_ENGINE_CHECK_CHECK_ENGINE_H_
