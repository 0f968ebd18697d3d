#include "ns/eager/stub_comparer.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/model_graph.h"
#include "ir/module_path.h"
#include "ir/status.h"
#include "ns/batches/run_batches.h"
#include "ns/eager/module_tree.h"
#include "ns/eager/paths_in_loops.h"
#include "ns/eager/prepare_model_with_stubs.h"
#include "ns/suite/non_finite_inputs.h"
#include "ns/suite/pooled_comparison.h"
#include "passes/runtime/loggers/shadow_logger.h"

namespace ns {
namespace {

struct Stub {
  StubComparison description;
  c10::intrusive_ptr<ShadowLogger> logger;
  PooledComparison pooled;
};

// A warning where modules are a ConvReLU2d in the quantized model and a Conv2d
// in the float one; empty where none are.
std::string FusionWarning(const std::vector<Stub>& stubs) {
  std::vector<std::string> names;
  for (const Stub& stub : stubs) {
    if (IsFusedModule(stub.description.quantized_type) &&
        !IsFusedModule(stub.description.float_type)) {
      names.push_back(stub.description.name);
    }
  }
  return names.empty()
             ? ""
             : absl::StrCat(
                   "fused in the quantized model and not in the float "
                   "one: ",
                   absl::StrJoin(names, ", "),
                   "; fuse the float model first, as "
                   "torch.ao.quantization.fuse_modules does");
}

StubComparisons Results(std::vector<Stub>& stubs) {
  StubComparisons results;
  if (std::string warning = FusionWarning(stubs); !warning.empty()) {
    results.warnings.push_back(std::move(warning));
  }
  for (Stub& stub : stubs) {
    if (std::optional<ActivationComparison> figures = stub.pooled.Result()) {
      stub.description.figures = *std::move(figures);
      results.stubs.push_back(std::move(stub.description));
    }
    if (!stub.pooled.warning().empty()) {
      results.warnings.push_back(stub.pooled.warning());
    }
  }
  return results;
}

}  // namespace

absl::StatusOr<StubComparisons> CompareStubs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const std::vector<Batch>& batches, const StubComparerOptions& options) {
  const std::map<std::string, std::string> float_types =
      TypesByPath(float_module);
  std::vector<Stub> stubs;
  StubOptions stub_options;
  stub_options.method = options.method;
  stub_options.logger =
      [&](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
    auto logger = c10::make_intrusive<ShadowLogger>();
    StubComparison description;
    description.name = info.fqn;
    description.float_type = float_types.at(info.fqn);
    description.quantized_type = info.ref_node_target_type;
    stubs.push_back({description, logger, PooledComparison(info.fqn)});
    return c10::IValue(logger);
  };
  NS_ASSIGN_OR_RETURN(ModelGraph model,
                      PrepareModelWithStubs(float_module, quantized_module,
                                            options.swap_list, stub_options));
  if (stubs.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no module of the swap list (", absl::StrJoin(options.swap_list, ", "),
        ") is called in the quantized model and was quantized"));
  }
  const std::set<std::string> in_loops = PathsInLoops(model.graph());
  for (Stub& stub : stubs) {
    const std::string& path = stub.description.name;
    stub.pooled = PooledComparison(path, in_loops.count(path) != 0);
  }
  const std::string non_finite = NonFiniteWarning(
      model.module().get_method(model.method()).function().getSchema(),
      batches);
  NS_RETURN_IF_ERROR(RunBatches("quantized", model, batches, [&](size_t done) {
    for (Stub& stub : stubs) {
      stub.pooled.AddBatch(stub.logger->float_values(),
                           stub.logger->quantized_values());
      stub.logger->Clear();
    }
    if (options.progress) {
      options.progress(static_cast<int64_t>(done),
                       static_cast<int64_t>(batches.size()));
    }
  }));
  StubComparisons results = Results(stubs);
  if (!non_finite.empty()) {
    results.warnings.push_back(non_finite);
  }
  return results;
}

}  // namespace ns
