#include "ns/eager/output_comparer.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/batches/output_tensors.h"
#include "ns/batches/run_batches.h"
#include "ns/eager/find_match.h"
#include "ns/eager/fusion_warning.h"
#include "ns/eager/paths_in_loops.h"
#include "ns/eager/prepare_model_outputs.h"
#include "ns/result/output_label.h"
#include "ns/suite/non_finite_inputs.h"
#include "ns/suite/pooled_comparison.h"
#include "passes/runtime/loggers/output_logger.h"

namespace ns {
namespace {

// The logger of one tensor that a module returns.
struct TensorLogger {
  // The tensor's name; empty for the first.
  std::string tensor;
  c10::intrusive_ptr<OutputLogger> logger;
};

// A module of one model.
struct LoggedModule {
  std::string path;
  std::string type;
  // The loggers in the order of the tensors.
  std::vector<TensorLogger> loggers;

  // Returns the logger of `tensor`, or null for one that the module does not
  // return.
  c10::intrusive_ptr<OutputLogger> Find(absl::string_view tensor) const {
    const auto found = absl::c_find_if(
        loggers, [&](const TensorLogger& one) { return one.tensor == tensor; });
    return found == loggers.end() ? c10::intrusive_ptr<OutputLogger>()
                                  : found->logger;
  }
};

struct Pair {
  ModuleOutputComparison description;
  // The loggers of both sides; null for what the models themselves return.
  c10::intrusive_ptr<OutputLogger> of_float;
  c10::intrusive_ptr<OutputLogger> of_quantized;
  PooledComparison pooled;
};

class OutputComparer {
 public:
  static absl::StatusOr<OutputComparer> Create(
      const torch::jit::Module& float_module,
      const torch::jit::Module& quantized_module,
      const OutputComparerOptions& options) {
    std::vector<LoggedModule> of_float;
    std::vector<LoggedModule> of_quantized;
    OutputOptions output_options;
    output_options.allow_list = options.allow_list;
    output_options.method = options.method;
    output_options.logger =
        [&](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
      auto logger = c10::make_intrusive<OutputLogger>();
      std::vector<LoggedModule>& modules =
          info.model_name == "float" ? of_float : of_quantized;
      // The loggers of one module are made one after the other.
      if (info.output_index == 0) {
        modules.push_back({info.fqn, info.ref_node_target_type, {}});
      }
      modules.back().loggers.push_back(
          {info.output_index == 0 ? "" : info.output_name, logger});
      return c10::IValue(logger);
    };
    NS_ASSIGN_OR_RETURN(
        PreparedModels models,
        PrepareModelOutputs(float_module, quantized_module, output_options));
    OutputComparer comparer(std::move(models));
    comparer.PairModules(of_float, of_quantized);
    if (options.allow_list && comparer.modules_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no module of the types ", absl::StrJoin(*options.allow_list, ", "),
          " is called in both models"));
    }
    return comparer;
  }

  const c10::FunctionSchema& Schema() const {
    const ModelGraph& model = models_.quantized_model;
    return model.module().get_method(model.method()).function().getSchema();
  }

  absl::Status Run(const Batch& batch, int64_t index) {
    NS_ASSIGN_OR_RETURN(const c10::IValue x,
                        RunBatch("float", models_.float_model, batch, index));
    NS_ASSIGN_OR_RETURN(
        const c10::IValue y,
        RunBatch("quantized", models_.quantized_model, batch, index));
    for (Pair& pair : modules_) {
      pair.pooled.AddBatch(pair.of_float->Stats(), pair.of_quantized->Stats());
      pair.of_float->Clear();
      pair.of_quantized->Clear();
    }
    for (const OutputPair& pair :
         PairByPlace(OutputTensors(x), OutputTensors(y))) {
      AddReturned(pair);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<OutputComparisons> Results() && {
    if (returned_.empty()) {
      return absl::NotFoundError(
          "the models return no tensor at the same place; there are no outputs "
          "to compare");
    }
    OutputComparisons results;
    FusionWarning fusion;
    for (const Pair& pair : modules_) {
      fusion.Add(pair.description.name, pair.description.float_type,
                 pair.description.quantized_type);
    }
    if (std::string warning = fusion.Text(); !warning.empty()) {
      results.warnings.push_back(std::move(warning));
    }
    for (std::vector<Pair>* pairs : {&modules_, &returned_}) {
      for (Pair& pair : *pairs) {
        if (auto figures = pair.pooled.Result()) {
          pair.description.figures = *std::move(figures);
          results.outputs.push_back(std::move(pair.description));
        }
        if (!pair.pooled.warning().empty()) {
          results.warnings.push_back(pair.pooled.warning());
        }
      }
    }
    for (const auto& [place, model] : returned_by_one_) {
      results.warnings.push_back(absl::StrCat(
          place, ": only the ", model, " model returns it; not compared"));
    }
    return results;
  }

 private:
  explicit OutputComparer(PreparedModels models) : models_(std::move(models)) {}

  // Pairs modules as GetMatchingActivations does.
  void PairModules(const std::vector<LoggedModule>& of_float,
                   const std::vector<LoggedModule>& of_quantized) {
    std::vector<std::string> keys;
    std::map<std::string, const LoggedModule*> by_key;
    for (const LoggedModule& module : of_float) {
      const std::string key = JoinPath(module.path, "stats");
      // The last child of a module comes first: its output is that of the
      // module.
      keys.insert(keys.begin(), key);
      by_key[key] = &module;
    }
    const std::set<std::string> in_loops =
        PathsInLoops(models_.quantized_model.graph());
    for (const LoggedModule& module : of_quantized) {
      const auto match = FindMatch(keys, module.path, "stats");
      if (!match) {
        continue;
      }
      const LoggedModule& partner = *by_key.at(*match);
      for (const auto& [tensor, logger] : module.loggers) {
        const auto of_float = partner.Find(tensor);
        if (!of_float) {
          continue;
        }
        const std::string name = OutputLabel(module.path, tensor);
        modules_.push_back(
            {{name, partner.type, module.type, {}},
             of_float,
             logger,
             PooledComparison(name, {in_loops.count(module.path) != 0,
                                     /*integers=*/tensor.empty()})});
      }
    }
  }

  void AddReturned(const OutputPair& tensors) {
    const auto& [place, x, y] = tensors;
    if (!x.defined() || !y.defined()) {
      returned_by_one_.emplace(place, x.defined() ? "float" : "quantized");
      return;
    }
    Pair& pair = Returned(place);
    pair.pooled.AddBatch({x}, {y});
    pair.description.holds_integers |=
        at::isIntegralType(x.scalar_type(), /*includeBool=*/true);
  }

  Pair& Returned(const std::string& place) {
    const auto it = std::find_if(
        returned_.begin(), returned_.end(),
        [&](const Pair& pair) { return pair.description.name == place; });
    if (it != returned_.end()) {
      return *it;
    }
    PooledComparisonOptions options;
    options.channels = ChannelDim::kByRank;
    returned_.push_back(
        {{place, "", "", {}}, {}, {}, PooledComparison(place, options)});
    return returned_.back();
  }

  PreparedModels models_;
  std::vector<Pair> modules_;
  std::vector<Pair> returned_;
  // The model that returns a tensor which the other does not return, by the
  // tensor's place.
  std::map<std::string, std::string> returned_by_one_;
};

}  // namespace

absl::StatusOr<OutputComparisons> CompareOutputs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module, const BatchReader& batches,
    const OutputComparerOptions& options) {
  NS_ASSIGN_OR_RETURN(
      OutputComparer comparer,
      OutputComparer::Create(float_module, quantized_module, options));
  NonFiniteInputs inputs(comparer.Schema());
  for (int64_t i = 0; i < batches.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(i));
    inputs.Look(batch, i);
    NS_RETURN_IF_ERROR(comparer.Run(batch, i));
    if (options.progress) {
      options.progress(i + 1, batches.size());
    }
  }
  NS_ASSIGN_OR_RETURN(OutputComparisons results, std::move(comparer).Results());
  if (inputs.found()) {
    results.warnings.push_back(inputs.Warning());
  }
  return results;
}

}  // namespace ns
