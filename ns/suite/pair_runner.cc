#include "ns/suite/pair_runner.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/base/deep_copy.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/batches/batches.h"
#include "ns/batches/explain_misfit.h"
#include "ns/result/figure_kinds.h"
#include "ns/result/output_label.h"
#include "ns/suite/record_figures.h"

namespace ns {
namespace {

using Arguments = std::vector<c10::IValue>;

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
    DeepCopier copier;
    for (const c10::IValue& argument : arguments) {
      copies.push_back(copier.Copy(argument));
    }
  }));
  const absl::Status status = copy.Run(copies).status();
  return status.ok() ? status : WithMisfit(status, model, {arguments, {}});
}

// Keeps what a comparer gathered where `owner` has figures of its kind.
template <typename Owner>
void SetAt(const FigurePlace<Owner>& place,
           std::optional<ActivationComparison> result, Owner& owner) {
  if (place.values != nullptr) {
    owner.*place.values = std::move(result);
  } else {
    owner.*place.error = result ? std::optional(result->error) : std::nullopt;
  }
}

// Codes are noted once where both compare the same values.
void ShareCodes(const std::optional<ActivationComparison>& activation,
                std::optional<ActivationComparison>& shadow) {
  if (shadow && activation && !shadow->codes &&
      shadow->elements == activation->elements) {
    shadow->codes = activation->codes;
  }
}

}  // namespace

absl::StatusOr<PairRunner> PairRunner::Create(const ModelGraph& float_model,
                                              const ModelGraph& quantized_model,
                                              const MatchResult& matches,
                                              const CompareOptions& options) {
  PairPlan plan = options;
  plan.channels = plan.channels || options.worst_channels > 0;
  NS_ASSIGN_OR_RETURN(PairedModels pair,
                      PairModels(float_model, quantized_model, matches, plan));
  return PairRunner(float_model, quantized_model, matches, options,
                    std::move(pair));
}

PairRunner::PairRunner(const ModelGraph& float_model,
                       const ModelGraph& quantized_model,
                       const MatchResult& matches,
                       const CompareOptions& options, PairedModels pair)
    : float_model_(&float_model),
      quantized_model_(&quantized_model),
      matches_(&matches),
      options_(std::make_unique<const CompareOptions>(options)),
      pair_(std::move(pair)),
      failed_shadows_(pair_.comparers.size()) {
  if (!options.user_metrics.empty()) {
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
      UserFigures* const figures =
          user_figures_
              .emplace_back(
                  std::make_unique<UserFigures>(place, &options_->user_metrics))
              .get();
      user_figures_of_[comparer.get()] = figures;
      comparer->AddObserver([figures](const at::Tensor& x, const at::Tensor& y,
                                      int64_t) { figures->See(x, y); });
    };
    for (const FigureKind& kind : FigureKinds()) {
      if (kind.of_layer.values != nullptr && kind.comparer != nullptr) {
        compute(absl::StrCat(kind.key, " of ", name), comparers.*kind.comparer);
      }
    }
    for (const OtherOutputComparers& other : comparers.others) {
      const std::string output = OutputLabel(name, other.name);
      for (const FigureKind& kind : FigureKinds()) {
        if (kind.of_output.values != nullptr &&
            kind.output_comparer != nullptr) {
          compute(absl::StrCat(kind.key, " of ", output),
                  other.*kind.output_comparer);
        }
      }
    }
  }
}

absl::Status PairRunner::Run(const Batch& batch) {
  absl::StatusOr<Arguments> of_float = ArgumentsOf(*float_model_, batch);
  NS_RETURN_IF_ERROR(OfModel("float", of_float.status()));
  absl::StatusOr<Arguments> of_quantized =
      ArgumentsOf(*quantized_model_, batch);
  NS_RETURN_IF_ERROR(OfModel("quantized", of_quantized.status()));
  Arguments arguments = *of_float;
  absl::Status status = CatchTorchErrors("copying the batch", [&] {
    DeepCopier of_a;
    DeepCopier of_b;
    for (const size_t i : pair_.own_inputs_of_b) {
      arguments.push_back(of_b.Copy((*of_quantized)[i]));
      // One of the models may overwrite it.
      if (i < of_float->size()) {
        arguments[i] = of_a.Copy(arguments[i]);
      }
    }
  });
  NS_RETURN_IF_ERROR(status);
  const int64_t number = batch_++;
  std::vector<size_t> shadowed;
  for (size_t i = 0; i < pair_.comparers.size(); ++i) {
    if (pair_.comparers[i].guard != nullptr && !HasFailedShadow(i)) {
      shadowed.push_back(i);
    }
  }
  for (const PairComparers& comparers : pair_.comparers) {
    for (const PairComparerPtr& comparer : comparers.All()) {
      comparer->SetBatch(number);
    }
  }
  absl::StatusOr<c10::IValue> outputs = pair_.model.Run(arguments);
  status = outputs.status();
  for (const PairComparers& comparers : pair_.comparers) {
    for (const PairComparerPtr& comparer : comparers.All()) {
      comparer->EndBatch();
    }
  }
  if (!status.ok()) {
    // A batch that a model does not take says nothing of its shadows.
    for (const size_t i : shadowed) {
      pair_.comparers[i].guard->Clear();
    }
    NS_RETURN_IF_ERROR(Blame(*of_float, *of_quantized));
    return status;
  }
  for (const size_t i : shadowed) {
    if (pair_.comparers[i].guard->HasFailed()) {
      failed_shadows_[i] = {number, pair_.comparers[i].guard->reason()};
    }
  }
  if (options_->see_outputs) {
    outputs_ = *std::move(outputs);
  }
  for (const std::unique_ptr<UserFigures>& figures : user_figures_) {
    NS_RETURN_IF_ERROR(figures->EndBatch());
  }
  return saver_ == nullptr ? absl::OkStatus() : saver_->EndBatch();
}

void PairRunner::Save(ByteWriter& writer) const {
  for (const std::optional<FailedShadow>& failed : failed_shadows_) {
    writer.Integer(failed ? 1 : 0);
    if (failed) {
      writer.Integer(failed->batch);
      writer.Text(failed->reason);
    }
  }
  for (const PairComparers& comparers : pair_.comparers) {
    for (const PairComparerPtr& comparer : comparers.All()) {
      comparer->accumulator().Save(writer);
    }
  }
  for (const std::unique_ptr<UserFigures>& figures : user_figures_) {
    figures->Save(writer);
  }
}

void PairRunner::Merge(ByteReader& reader) {
  for (std::optional<FailedShadow>& failed : failed_shadows_) {
    if (reader.Integer() == 0) {
      continue;
    }
    FailedShadow other;
    other.batch = reader.Integer();
    other.reason = reader.Text();
    if (!failed || other.batch < failed->batch) {
      failed = std::move(other);
    }
  }
  for (const PairComparers& comparers : pair_.comparers) {
    for (const PairComparerPtr& comparer : comparers.All()) {
      if (!reader.ok()) {
        return;
      }
      comparer->Merge(PairAccumulator::Load(reader));
    }
  }
  for (const std::unique_ptr<UserFigures>& figures : user_figures_) {
    figures->Merge(reader);
  }
}

std::pair<c10::IValue, c10::IValue> PairRunner::TakeOutputs() {
  const c10::IValue outputs = std::exchange(outputs_, c10::IValue());
  const auto& both = outputs.toTupleRef().elements();
  return {both[0], both[1]};
}

absl::Status PairRunner::Blame(const Arguments& of_float,
                               const Arguments& of_quantized) const {
  NS_RETURN_IF_ERROR(OfModel("float", RunCopy(*float_model_, of_float)));
  return OfModel("quantized", RunCopy(*quantized_model_, of_quantized));
}

void PairRunner::ObserveShadow(size_t index, PairComparer::Observer see) {
  if (const PairComparerPtr& shadow = pair_.comparers[index].shadow) {
    shadow->AddObserver(std::move(see));
  }
}

std::vector<NotShadowedMatch> PairRunner::not_shadowed() const {
  std::vector<NotShadowedMatch> matches;
  auto next = pair_.not_shadowed.begin();
  for (size_t i = 0; i < pair_.comparers.size(); ++i) {
    const std::string& name = matches_->matches[i].name;
    const bool is_listed =
        next != pair_.not_shadowed.end() && next->name == name;
    if (HasFailedShadow(i)) {
      matches.push_back({name, failed_shadows_[i]->reason});
    } else if (is_listed) {
      matches.push_back(*next);
    }
    next += is_listed ? 1 : 0;
  }
  return matches;
}

std::optional<ActivationComparison> PairRunner::Result(
    size_t index, bool is_of_shadow, const PairComparerPtr& comparer) const {
  if (comparer == nullptr || comparer->record().batches.empty() ||
      (is_of_shadow && HasFailedShadow(index))) {
    return std::nullopt;
  }
  ActivationComparison result =
      FiguresOfRecord(comparer->record(), options_->worst_channels);
  const auto figures = user_figures_of_.find(comparer.get());
  if (figures != user_figures_of_.end()) {
    result.user_figures = figures->second->Means();
  }
  return result;
}

void PairRunner::SetFigures(size_t index, LayerComparison& layer) const {
  const PairComparers& comparers = pair_.comparers[index];
  for (const FigureKind& kind : FigureKinds()) {
    if (kind.comparer != nullptr) {
      SetAt(kind.of_layer,
            Result(index, kind.is_of_shadow, comparers.*kind.comparer), layer);
    }
  }
  if (comparers.activation != nullptr) {
    if (const auto& found = comparers.activation->record().exchanged) {
      layer.exchanged_axes =
          AxisExchange{found->first, found->second, found->sqnr_db};
    }
    if (const auto& found = comparers.activation->record().fingerprints) {
      layer.fingerprints =
          LayerFingerprints{absl::StrFormat("%016x", found->x),
                            absl::StrFormat("%016x", found->y)};
    }
  }
  ShareCodes(layer.activation, layer.shadow);
  layer.outputs = OtherOutputs(index);
}

LayerComparison PairRunner::FiguresOf(size_t index) const {
  LayerComparison layer;
  SetFigures(index, layer);
  return layer;
}

std::optional<ErrorFigures> PairRunner::Variant(size_t index) const {
  const std::optional<ActivationComparison> result =
      Result(index, /*is_of_shadow=*/true, pair_.comparers[index].variant);
  return result ? std::optional(result->error) : std::nullopt;
}

std::vector<OutputComparison> PairRunner::OtherOutputs(size_t index) const {
  std::vector<OutputComparison> outputs;
  for (const OtherOutputComparers& other : pair_.comparers[index].others) {
    OutputComparison output;
    output.index = static_cast<int64_t>(other.index);
    output.name = other.name;
    for (const FigureKind& kind : FigureKinds()) {
      if (kind.output_comparer != nullptr) {
        SetAt(kind.of_output,
              Result(index, kind.is_of_shadow, other.*kind.output_comparer),
              output);
      }
    }
    ShareCodes(output.activation, output.shadow);
    const auto& made = output.activation ? output.activation : output.shadow;
    if (made && !(other.is_element && made->elements == 0)) {
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
    // A shadow that failed is listed with its reason.
    const PairComparerPtr none;
    const auto& shadow = HasFailedShadow(i) ? none : comparers.shadow;
    warn(name, comparers.activation);
    warn(name, shadow);
    for (const OtherOutputComparers& other : comparers.others) {
      const std::string what = OutputLabel(name, other.name);
      warn(what, other.activation);
      warn(what, HasFailedShadow(i) ? none : other.shadow);
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
