#include "tools/bench/kernels/measure_operators.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "tools/bench/kernels/blocks.h"
#include "tools/bench/kernels/elementwise_cases.h"
#include "tools/bench/kernels/embedding_cases.h"
#include "tools/bench/kernels/operator_case.h"
#include "tools/bench/kernels/operator_cases.h"
#include "tools/bench/kernels/roofline.h"

namespace ns::bench {
namespace {

void Append(std::vector<OperatorCase> cases, std::vector<OperatorCase>& all) {
  for (OperatorCase& one : cases) {
    all.push_back(std::move(one));
  }
}

constexpr char kElementwise[] = "elementwise";
constexpr char kOperators[] = "operators";

std::vector<OperatorCase> CasesOf(const std::string& section, bool quick) {
  if (section == kOperators) {
    return OperatorCases(quick);
  }
  std::vector<OperatorCase> all = ElementwiseCases(1 << 16);
  if (quick) {
    return all;
  }
  Append(ElementwiseCases(1 << 20), all);
  Append(EmbeddingCases(1 << 10), all);
  return all;
}

Row Measure(const std::string& section, const OperatorCase& operator_case,
            const MeasureOptions& options) {
  const auto on_engine = [&](at::QEngine engine) {
    return [&operator_case, engine] {
      at::globalContext().setQEngine(engine);
      operator_case.torch();
    };
  };
  const std::vector<Contender> contenders = {
      {"ours", operator_case.ours},
      {"memcpy", CopyOf(operator_case.bytes / 2)},
      {"memset", FillOf(operator_case.written)},
      {"torch onednn", on_engine(at::kONEDNN)},
      {"qnnpack", on_engine(at::kQNNPACK)},
  };
  BlockOptions blocks;
  blocks.seconds = options.seconds;
  blocks.rounds = options.rounds;
  const std::vector<Timing> timings = RunInBlocks(contenders, blocks);
  Row row;
  row.section = section;
  row.kind = section;
  row.name = operator_case.name;
  row.threads = at::get_num_threads();
  const Timing& ours = timings[0];
  row.seconds = ours.Seconds();
  row.rate = static_cast<double>(operator_case.bytes) / row.seconds;
  row.of_roofline =
      std::max(SpeedRatio(ours, timings[1]), SpeedRatio(ours, timings[2]));
  row.peers[kTorchOneDnn] = {timings[3].Seconds(),
                             SpeedRatio(ours, timings[3])};
  row.peers[kTorchQnnpack] = {timings[4].Seconds(),
                              SpeedRatio(ours, timings[4])};
  for (size_t torch = 3; torch < contenders.size(); ++torch) {
    contenders[torch].run();
    row.mismatch += operator_case.compare();
  }
  return row;
}

}  // namespace

std::vector<std::string> OperatorSections() {
  return {kElementwise, kOperators};
}

void MeasureOperators(const std::string& section, const MeasureOptions& options,
                      const std::string& filter, bool quick,
                      const std::function<void(const Row&)>& use) {
  for (const OperatorCase& operator_case : CasesOf(section, quick)) {
    if (absl::StrContains(operator_case.name, filter)) {
      use(Measure(section, operator_case, options));
    }
  }
}

}  // namespace ns::bench
