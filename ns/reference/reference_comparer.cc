#include "ns/reference/reference_comparer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/verifier.h"
#include "ns/batches/run_batches.h"
#include "ns/result/output_label.h"
#include "ns/saved/activation_files.h"
#include "ns/suite/record_figures.h"
#include "passes/instrument/insert_logger.h"
#include "passes/instrument/pair/pair_plan.h"

namespace ns {
namespace {

constexpr char kQuantized[] = "quantized";

PairComparerOptions ComparerOptionsOf(const SubgraphMatch& match,
                                      const CompareOptions& options,
                                      bool is_first) {
  PairPlan plan = options;
  plan.channels = true;
  PairComparerOptions of_output = ComparerOptionsFor(match, plan);
  of_output.integers = is_first;
  return of_output;
}

}  // namespace

absl::StatusOr<ReferenceComparer> ReferenceComparer::Create(
    ModelGraph quantized, const MatchResult& matches, ReferenceFiles files,
    const CompareOptions& options) {
  ReferenceComparer comparer(std::move(quantized), std::move(files), options);
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    NS_RETURN_IF_ERROR(comparer.AddLayer(i, matches.matches[i]));
  }
  NS_RETURN_IF_ERROR(VerifyGraph(comparer.model_.graph()));
  if (comparer.layers_.empty()) {
    return comparer.NothingIsNamed(matches);
  }
  comparer.ListUnknown(matches);
  return comparer;
}

const c10::FunctionSchema& ReferenceComparer::schema() const {
  return model_.module().get_method(model_.method()).function().getSchema();
}

absl::Status ReferenceComparer::AddLayer(size_t index,
                                         const SubgraphMatch& match) {
  NS_ASSIGN_OR_RETURN(std::unique_ptr<ReferenceValues> values,
                      files_.OpenLayer(match.name));
  if (values == nullptr) {
    unreferenced_.push_back(
        {match.name, absl::StrCat(files_.directory(), " has no values of it")});
    return absl::OkStatus();
  }
  Layer layer;
  layer.index = index;
  layer.name = match.name;
  layer.values = std::move(values);
  for (const MatchedOutput& output : MatchedOutputs(match)) {
    NS_ASSIGN_OR_RETURN(LoggedOutput logged, AddOutput(match, output));
    layer.outputs.push_back(std::move(logged));
  }
  layers_.push_back(std::move(layer));
  return absl::OkStatus();
}

absl::StatusOr<ReferenceComparer::LoggedOutput> ReferenceComparer::AddOutput(
    const SubgraphMatch& match, const MatchedOutput& output) {
  LoggedOutput logged;
  logged.index = output.index;
  logged.name = output.index == 0 ? "" : output.name;
  logged.logger = c10::make_intrusive<OutputLogger>();
  logged.comparer = c10::make_intrusive<PairComparer>(
      ComparerOptionsOf(match, *options_, output.index == 0));
  LoggerOptions options;
  options.logger = [&](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return c10::IValue(logged.logger);
  };
  NS_RETURN_IF_ERROR(InsertOutputLogger(
      model_, options, OutputInfo(match, match.b, kQuantized), output, output.b,
      output.b.value, PlaceOf(match.b)));
  if (!options_->user_metrics.empty()) {
    logged.figures = std::make_unique<UserFigures>(
        absl::StrCat("activation of ", OutputLabel(match.name, logged.name)),
        &options_->user_metrics);
    logged.comparer->AddObserver([figures = logged.figures.get()](
                                     const at::Tensor& x, const at::Tensor& y,
                                     int64_t) { figures->See(x, y); });
  }
  return logged;
}

void ReferenceComparer::ListUnknown(const MatchResult& matches) {
  std::vector<absl::string_view> names;
  for (const SubgraphMatch& match : matches.matches) {
    names.push_back(match.name);
  }
  for (const std::string& name : files_.NotOpened()) {
    unreferenced_.push_back(
        {name,
         absl::StrCat("is in ", files_.directory(),
                      ", and no layer has this name; ",
                      DidYouMean(name, names, "ns match lists the layers"))});
  }
}

absl::Status ReferenceComparer::NothingIsNamed(
    const MatchResult& matches) const {
  if (matches.matches.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        files_.directory(), ": the models have no layer in common"));
  }
  const std::string& name = matches.matches.front().name;
  const std::string file =
      absl::StrCat(files_.directory(), "/", LayerFolder(name));
  return absl::InvalidArgumentError(
      absl::StrCat(files_.directory(), ": holds values of none of the ",
                   matches.matches.size(), " layers; those of the first, '",
                   name, "', would be ", file, "/", ActivationFileStem(0, 0),
                   ".pt, ", file, ".pt or ", file, ".npy"));
}

absl::Status ReferenceComparer::Run(const Batch& batch, int64_t index) {
  NS_RETURN_IF_ERROR(RunBatch(kQuantized, model_, batch, index).status());
  for (Layer& layer : layers_) {
    for (LoggedOutput& output : layer.outputs) {
      NS_RETURN_IF_ERROR(CompareCalls(layer, output, index));
    }
  }
  return absl::OkStatus();
}

absl::Status ReferenceComparer::CompareCalls(Layer& layer, LoggedOutput& output,
                                             int64_t batch) {
  ReferencePlace place;
  place.batch = batch;
  place.output = output.name;
  for (const at::Tensor& y : output.logger->Stats()) {
    place.shape = y.sizes().vec();
    NS_ASSIGN_OR_RETURN(const ReferenceValue value, layer.values->Read(place));
    ++place.call;
    if (value.tensor.defined()) {
      NS_RETURN_IF_ERROR(Annotated(
          absl::StrCat("the reference of ", layer.name), CatchTorchErrors([&] {
            output.comparer->Compare(value.tensor, y);
          })));
      continue;
    }
    output.comparer->MissX();
    ++output.missing;
    if (output.reason.empty()) {
      output.reason = value.missing;
    }
  }
  output.logger->Clear();
  output.comparer->EndBatch();
  return output.figures == nullptr ? absl::OkStatus()
                                   : output.figures->EndBatch();
}

std::optional<ActivationComparison> ReferenceComparer::FiguresOf(
    const LoggedOutput& output) const {
  const PairRecord& record = output.comparer->record();
  if (record.batches.empty()) {
    return std::nullopt;
  }
  ActivationComparison figures =
      FiguresOfRecord(record, options_->worst_channels);
  if (output.figures != nullptr) {
    figures.user_figures = output.figures->Means();
  }
  return figures;
}

void ReferenceComparer::AddFigures(ComparisonResult& result) const {
  for (const Layer& layer : layers_) {
    LayerComparison& comparison = result.layers[layer.index];
    comparison.outputs.clear();
    for (const LoggedOutput& output : layer.outputs) {
      std::optional<ActivationComparison> figures = FiguresOf(output);
      if (output.index == 0) {
        comparison.activation = std::move(figures);
      } else if (figures) {
        OutputComparison other;
        other.index = static_cast<int64_t>(output.index);
        other.name = output.name;
        other.activation = std::move(figures);
        comparison.outputs.push_back(std::move(other));
      }
    }
  }
}

absl::Status ReferenceComparer::AddReasons(ComparisonResult& result) const {
  std::vector<NotShadowed> reasons;
  std::vector<std::string> rests;
  bool is_any_compared = false;
  for (const Layer& layer : layers_) {
    for (const LoggedOutput& output : layer.outputs) {
      const std::string name = OutputLabel(layer.name, output.name);
      is_any_compared = is_any_compared || output.IsCompared();
      if (output.IsCompared() && !output.reason.empty()) {
        result.warnings.push_back(absl::StrCat(
            "--reference: ", name, ": not compared in ", output.missing,
            output.missing == 1 ? " call: " : " calls; in the first, ",
            output.reason));
      } else if (!output.IsCompared() && !output.reason.empty()) {
        reasons.push_back({name, output.reason});
      } else if (!output.IsCompared() && output.index == 0) {
        reasons.push_back({name, "the quantized model did not run it"});
      }
    }
    std::string rest = layer.values->Rest();
    if (!rest.empty() && layer.outputs.front().IsCompared()) {
      rests.push_back(std::move(rest));
    }
  }
  if (!is_any_compared) {
    return absl::InvalidArgumentError(
        absl::StrCat(files_.directory(), ": no value can be compared; ",
                     reasons.front().name, ": ", reasons.front().reason));
  }
  if (!rests.empty()) {
    result.warnings.push_back(absl::StrCat(
        "--reference: the batches took less than there is of ", rests.size(),
        rests.size() == 1 ? " layer" : " layers", "; left: ", rests.front(),
        rests.size() == 1 ? "" : ", ..."));
  }
  reasons.insert(reasons.end(), unreferenced_.begin(), unreferenced_.end());
  for (const NotShadowed& layer : reasons) {
    result.warnings.push_back(
        absl::StrCat("--reference: ", layer.name, ": ", layer.reason));
  }
  result.not_referenced = std::move(reasons);
  return absl::OkStatus();
}

}  // namespace ns
