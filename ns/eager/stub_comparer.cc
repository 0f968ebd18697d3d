#include "ns/eager/stub_comparer.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/run_batches.h"
#include "ns/eager/fusion_warning.h"
#include "ns/eager/module_tree.h"
#include "ns/eager/paths_in_loops.h"
#include "ns/eager/prepare_model_with_stubs.h"
#include "ns/result/output_label.h"
#include "ns/suite/non_finite_inputs.h"
#include "ns/suite/pooled_comparison.h"
#include "passes/runtime/loggers/shadow_logger.h"

namespace ns {
namespace {

// One tensor that both a module and its shadow return.
struct StubTensor {
  int64_t index;
  std::string name;
  c10::intrusive_ptr<ShadowLogger> logger;
  PooledComparison pooled;
};

struct Stub {
  StubComparison description;
  // The first output is the first element.
  std::vector<StubTensor> tensors;
};

StubComparisons Results(std::vector<Stub>& stubs) {
  StubComparisons results;
  FusionWarning fusion;
  for (const Stub& stub : stubs) {
    fusion.Add(stub.description.name, stub.description.float_type,
               stub.description.quantized_type);
  }
  if (std::string warning = fusion.Text(); !warning.empty()) {
    results.warnings.push_back(std::move(warning));
  }
  for (Stub& stub : stubs) {
    StubComparison& description = stub.description;
    bool has_figures = false;
    for (const StubTensor& tensor : stub.tensors) {
      std::optional<ActivationComparison> figures = tensor.pooled.Result();
      if (figures && tensor.index == 0) {
        has_figures = true;
        description.figures = *std::move(figures);
      } else if (figures) {
        description.outputs.push_back(
            {tensor.index, tensor.name, *std::move(figures)});
      }
      if (!tensor.pooled.warning().empty()) {
        results.warnings.push_back(tensor.pooled.warning());
      }
    }
    if (has_figures) {
      results.stubs.push_back(std::move(description));
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
    if (info.output_index == 0) {
      Stub& stub = stubs.emplace_back();
      stub.description.name = info.fqn;
      stub.description.float_type = float_types.at(info.fqn);
      stub.description.quantized_type = info.ref_node_target_type;
    }
    // The loggers of one module are made one after the other.
    stubs.back().tensors.push_back({info.output_index, info.output_name, logger,
                                    PooledComparison(info.fqn)});
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
    const bool in_loop = in_loops.count(stub.description.name) != 0;
    for (StubTensor& tensor : stub.tensors) {
      const bool is_first = tensor.index == 0;
      tensor.pooled = PooledComparison(
          OutputLabel(stub.description.name, is_first ? "" : tensor.name),
          {in_loop, /*integers=*/is_first});
    }
  }
  const std::string non_finite = NonFiniteWarning(
      model.module().get_method(model.method()).function().getSchema(),
      batches);
  NS_RETURN_IF_ERROR(RunBatches("quantized", model, batches, [&](size_t done) {
    for (Stub& stub : stubs) {
      for (StubTensor& tensor : stub.tensors) {
        tensor.pooled.AddBatch(tensor.logger->float_values(),
                               tensor.logger->quantized_values());
        tensor.logger->Clear();
      }
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
