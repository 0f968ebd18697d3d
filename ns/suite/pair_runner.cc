#include "ns/suite/pair_runner.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/control_flow.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ns/batches/batches.h"
#include "ns/suite/metrics.h"
#include "ns/suite/output_label.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

// As OutlierFigures has them: of 1000 errors, the largest.
constexpr double kOutlierShare = 0.001;

using Arguments = std::vector<c10::IValue>;

ChannelDim ChannelsOf(const torch::jit::Node& base) {
  const OpRow* row = FindOp(OpName(base));
  switch (row == nullptr ? ChannelPlace::kByRank
                         : row->family_row->facts.channels) {
    case ChannelPlace::kSecond:
      return ChannelDim::kSecond;
    case ChannelPlace::kLast:
      return ChannelDim::kLast;
    case ChannelPlace::kByRank:
      break;
  }
  return ChannelDim::kByRank;
}

absl::Status OfModel(const char* name, const absl::Status& status) {
  return status.ok() ? status
                     : absl::Status(status.code(),
                                    absl::StrCat("the ", name, " model, ",
                                                 status.message()));
}

// The arguments that `model` gets of `batch`, in the order of its graph's
// inputs.
absl::StatusOr<Arguments> ArgumentsOf(const ModelGraph& model, Batch batch) {
  const c10::FunctionSchema& schema =
      model.module().get_method(model.method()).function().getSchema();
  NS_RETURN_IF_ERROR(FitBatch(schema, batch));
  return CatchTorchErrors("reading the batch", [&] {
    Arguments arguments = {model.module()._ivalue()};
    arguments.insert(arguments.end(), batch.arguments.begin(),
                     batch.arguments.end());
    schema.checkAndNormalizeInputs(arguments, batch.keywords);
    arguments.erase(arguments.begin());
    return arguments;
  });
}

// Runs a copy of `model` on copies of `arguments`.
absl::Status RunCopy(const ModelGraph& model, const Arguments& arguments) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
  Arguments copies;
  NS_RETURN_IF_ERROR(CatchTorchErrors("copying the batch", [&] {
    for (const c10::IValue& argument : arguments) {
      copies.push_back(argument.deepcopy());
    }
  }));
  return copy.Run(copies).status();
}

// Of a value of which `elements` elements were compared.
std::vector<double> SqnrOfChannels(const std::vector<ChannelSums>& channels,
                                   int64_t elements) {
  std::vector<double> sqnr_db;
  for (const ChannelSums& channel : channels) {
    PairStatistics sums;
    sums.count = elements;
    sums.sum_x2 = channel.sum_x2;
    sums.sum_e2 = channel.sum_e2;
    sqnr_db.push_back(sums.SqnrDb());
  }
  return sqnr_db;
}

std::vector<ChannelError> WorstChannels(const std::vector<double>& sqnr_db,
                                        int64_t count) {
  std::vector<ChannelError> errors;
  for (size_t i = 0; i < sqnr_db.size(); ++i) {
    errors.push_back({static_cast<int64_t>(i), sqnr_db[i]});
  }
  // Channels without a figure come last, beside those without an error.
  const auto rank = [](const ChannelError& error) {
    return error.sqnr_db == error.sqnr_db
               ? error.sqnr_db
               : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(errors.begin(), errors.end(),
                   [&](const ChannelError& a, const ChannelError& b) {
                     return rank(a) < rank(b);
                   });
  errors.resize(std::min<size_t>(errors.size(), count));
  return errors;
}

}  // namespace

absl::StatusOr<PairRunner> PairRunner::Create(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matches, const PairRunnerOptions& options) {
  PairPlan plan;
  plan.activations = options.activations;
  plan.shadows = options.shadows;
  plan.io_types = options.io_types;
  plan.not_shadowed = options.not_shadowed;
  plan.kernels = options.kernels;
  plan.exact = options.exact;
  plan.twin = options.twin;
  plan.statistics = [&](const SubgraphMatch& match) {
    PairComparerOptions of_match;
    of_match.in_loop = IsInLoop(*match.b.subgraph.end);
    of_match.errors = options.outliers;
    if (options.worst_channels > 0) {
      of_match.channels = ChannelsOf(*match.b.subgraph.base);
    }
    return of_match;
  };
  NS_ASSIGN_OR_RETURN(PairedModels pair,
                      PairModels(float_model, quantized_model, matches, plan));
  return PairRunner(float_model, quantized_model, matches, options,
                    std::move(pair));
}

PairRunner::PairRunner(const ModelGraph& float_model,
                       const ModelGraph& quantized_model,
                       const MatchResult& matches,
                       const PairRunnerOptions& options, PairedModels pair)
    : float_model_(&float_model),
      quantized_model_(&quantized_model),
      matches_(&matches),
      options_(options),
      pair_(std::move(pair)) {
  if (options.user_metrics != nullptr && !options.user_metrics->empty()) {
    ComputeUserFigures();
  }
  if (options.files == nullptr) {
    return;
  }
  saver_ = std::make_unique<ActivationSaver>(options.files);
  for (size_t i = 0; i < pair_.comparers.size(); ++i) {
    saver_->Listen(matches.matches[i].name, pair_.comparers[i]);
  }
}

void PairRunner::ComputeUserFigures() {
  for (size_t i = 0; i < pair_.comparers.size(); ++i) {
    const PairComparers& comparers = pair_.comparers[i];
    const std::string& name = matches_->matches[i].name;
    const auto compute = [&](const std::string& place,
                             const PairComparerPtr& comparer) {
      if (comparer == nullptr) {
        return;
      }
      const auto figures =
          user_figures_
              .emplace(comparer.get(), std::make_unique<UserFigures>(
                                           place, options_.user_metrics))
              .first->second.get();
      comparer->AddObserver([figures](const at::Tensor& x, const at::Tensor& y,
                                      int64_t) { figures->See(x, y); });
    };
    compute(absl::StrCat("activation of ", name), comparers.activation);
    compute(absl::StrCat("shadow of ", name), comparers.shadow);
    compute(absl::StrCat("kernel of ", name), comparers.kernel);
    for (const OtherOutputComparers& other : comparers.others) {
      const std::string output = OutputLabel(name, other.name);
      compute(absl::StrCat("activation of ", output), other.activation);
      compute(absl::StrCat("shadow of ", output), other.shadow);
    }
  }
}

absl::Status PairRunner::Run(const Batch& batch) {
  failed_shadow_.reset();
  absl::StatusOr<Arguments> of_float = ArgumentsOf(*float_model_, batch);
  NS_RETURN_IF_ERROR(OfModel("float", of_float.status()));
  absl::StatusOr<Arguments> of_quantized =
      ArgumentsOf(*quantized_model_, batch);
  NS_RETURN_IF_ERROR(OfModel("quantized", of_quantized.status()));
  Arguments arguments = *of_float;
  absl::Status status = CatchTorchErrors("copying the batch", [&] {
    for (const size_t i : pair_.own_inputs_of_b) {
      arguments.push_back((*of_quantized)[i].deepcopy());
      // One of the models may overwrite it.
      if (i < of_float->size()) {
        arguments[i] = arguments[i].deepcopy();
      }
    }
  });
  NS_RETURN_IF_ERROR(status);
  status = pair_.model.Run(arguments).status();
  const std::optional<size_t> running = RunningShadow();
  for (const PairComparers& comparers : pair_.comparers) {
    for (const PairComparerPtr& comparer : comparers.All()) {
      comparer->EndBatch();
    }
  }
  if (!status.ok()) {
    NS_RETURN_IF_ERROR(Blame(*of_float, *of_quantized));
    if (running) {
      failed_shadow_ = {
          *running,
          absl::StrCat(
              "its float subgraph fails on values of the quantized model: ",
              absl::StripPrefix(
                  status.message(),
                  absl::StrCat("running '", pair_.model.method(), "': ")))};
    }
    return status;
  }
  for (const auto& [comparer, figures] : user_figures_) {
    NS_RETURN_IF_ERROR(figures->EndBatch());
  }
  return saver_ == nullptr ? absl::OkStatus() : saver_->EndBatch();
}

absl::Status PairRunner::Blame(const Arguments& of_float,
                               const Arguments& of_quantized) const {
  NS_RETURN_IF_ERROR(OfModel("float", RunCopy(*float_model_, of_float)));
  return OfModel("quantized", RunCopy(*quantized_model_, of_quantized));
}

std::optional<size_t> PairRunner::RunningShadow() const {
  std::optional<size_t> newest;
  int64_t begun = 0;
  for (size_t i = 0; i < pair_.comparers.size(); ++i) {
    const PairComparerPtr& shadow = pair_.comparers[i].shadow;
    if (shadow != nullptr && shadow->begun() > begun) {
      begun = shadow->begun();
      newest = i;
    }
  }
  return newest;
}

std::optional<ActivationComparison> PairRunner::Result(
    const PairComparerPtr& comparer) const {
  if (comparer == nullptr || comparer->record().batches.empty()) {
    return std::nullopt;
  }
  const PairRecord& record = comparer->record();
  const PairStatistics& sums = record.pooled.sums;
  ActivationComparison result;
  result.shape = record.shape;
  result.error = FiguresOf(sums);
  const auto figures = user_figures_.find(comparer.get());
  if (figures != user_figures_.end()) {
    result.user_figures = figures->second->Means();
  }
  for (const PairStatistics& batch : record.batches) {
    result.batch_sqnr_db.push_back(batch.SqnrDb());
  }
  for (const PairStatistics& trip : record.trips) {
    result.trip_sqnr_db.push_back(trip.SqnrDb());
  }
  result.elements = sums.count;
  if (sums.count > 0) {
    result.ranges = {sums.min_x, sums.max_x, sums.min_y, sums.max_y};
  }
  result.non_finite = {sums.nan_x, sums.inf_x, sums.nan_y, sums.inf_y};
  const CodesInUse& codes = record.pooled.codes;
  if (codes.total > 0) {
    result.codes = {codes.at_lowest, codes.at_highest, codes.Unused()};
  }
  result.channel_sqnr_db = SqnrOfChannels(record.pooled.channels, sums.count);
  result.worst_channels =
      WorstChannels(result.channel_sqnr_db, options_.worst_channels);
  const ErrorHistogram& errors = record.pooled.errors;
  if (errors.total() > 0) {
    result.outliers = {errors.Quantile(1 - kOutlierShare),
                       errors.ShareOfSquares(kOutlierShare)};
  }
  return result;
}

std::optional<ActivationComparison> PairRunner::Activation(size_t index) const {
  return Result(pair_.comparers[index].activation);
}

std::optional<ActivationComparison> PairRunner::Shadow(size_t index) const {
  return ShadowResult(pair_.comparers[index].shadow,
                      pair_.comparers[index].activation);
}

std::optional<ActivationComparison> PairRunner::ShadowResult(
    const PairComparerPtr& of_shadow,
    const PairComparerPtr& of_activation) const {
  std::optional<ActivationComparison> shadow = Result(of_shadow);
  const std::optional<ActivationComparison> activation = Result(of_activation);
  // Codes are noted once where both compare the same values.
  if (shadow && activation && !shadow->codes &&
      shadow->elements == activation->elements) {
    shadow->codes = activation->codes;
  }
  return shadow;
}

std::optional<ErrorFigures> PairRunner::Inherited(size_t index) const {
  return FiguresAlone(pair_.comparers[index].inherited);
}

std::optional<ErrorFigures> PairRunner::Twin(size_t index) const {
  return FiguresAlone(pair_.comparers[index].twin);
}

std::optional<ErrorFigures> PairRunner::FiguresAlone(
    const PairComparerPtr& comparer) const {
  const std::optional<ActivationComparison> result = Result(comparer);
  return result ? std::optional(result->error) : std::nullopt;
}

std::optional<ActivationComparison> PairRunner::Kernel(size_t index) const {
  return Result(pair_.comparers[index].kernel);
}

std::vector<OutputComparison> PairRunner::OtherOutputs(size_t index) const {
  std::vector<OutputComparison> outputs;
  for (const OtherOutputComparers& other : pair_.comparers[index].others) {
    OutputComparison output;
    output.index = static_cast<int64_t>(other.index);
    output.name = other.name;
    output.activation = Result(other.activation);
    output.shadow = ShadowResult(other.shadow, other.activation);
    output.inherited = FiguresAlone(other.inherited);
    if (output.activation || output.shadow) {
      outputs.push_back(std::move(output));
    }
  }
  return outputs;
}

std::vector<std::string> PairRunner::Warnings() const {
  std::vector<std::string> warnings;
  for (size_t i = 0; i < pair_.comparers.size(); ++i) {
    const std::string& name = matches_->matches[i].name;
    const PairComparers& comparers = pair_.comparers[i];
    const auto warn = [&](const std::string& what,
                          const PairComparerPtr& comparer) {
      if (comparer != nullptr && !comparer->problem().empty()) {
        warnings.push_back(absl::StrCat(what, ": ", comparer->problem()));
      }
    };
    warn(name, comparers.activation);
    warn(name, comparers.shadow);
    for (const OtherOutputComparers& other : comparers.others) {
      const std::string what = OutputLabel(name, other.name);
      warn(what, other.activation);
      warn(what, other.shadow);
    }
    if (comparers.activation == nullptr) {
      continue;
    }
    const PairRecord& record = comparers.activation->record();
    if (record.only_x != 0 || record.only_y != 0) {
      warnings.push_back(
          absl::StrCat(name, ": control flow differs; the float model came by ",
                       record.only_x, " times alone and the quantized one ",
                       record.only_y, "; not compared there"));
    }
  }
  return warnings;
}

}  // namespace ns
