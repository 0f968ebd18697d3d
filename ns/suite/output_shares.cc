#include "ns/suite/output_shares.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/model/module_state.h"
#include "ns/batches/batch.h"
#include "ns/batches/batches.h"
#include "ns/batches/output_tensors.h"
#include "passes/instrument/attribution/insert_attribution_taps.h"
#include "passes/matching/matches/copied_matches.h"
#include "passes/runtime/attribution/attribution_tap.h"

namespace ns {
namespace {

constexpr int64_t kMostBatches = 8;
// Elements of outputs after which no more batches are run.
constexpr int64_t kEnough = 1000;

// Below this ratio of powers, 100 dB, an output has no error to speak of.
constexpr double kNegligible = 1e-10;

// So many elements of activations are followed, about 0.3 GB; more only where
// one sample has more, and none where it has very many.
constexpr int64_t kMostElements = 16'000'000;
constexpr int64_t kMostInSample = 8 * kMostElements;

// How many elements all layers give in a batch, on average.
int64_t ElementsInBatch(const ComparisonResult& result) {
  int64_t elements = 0;
  for (const LayerComparison& layer : result.layers) {
    if (layer.activation) {
      elements += layer.activation->elements.value_or(0);
    }
  }
  return elements / std::max<int64_t>(1, result.batches);
}

double Product(const at::Tensor& x, const at::Tensor& y) {
  return (x * y).sum(at::kDouble).item<double>();
}

// Runs both models, and adds up what each layer does to the outputs.
class Attribution {
 public:
  static absl::StatusOr<Attribution> Create(const ModelGraph& float_model,
                                            const ModelGraph& quantized_model,
                                            const MatchResult& matched) {
    NS_ASSIGN_OR_RETURN(ModelGraph a, float_model.Clone());
    NS_ASSIGN_OR_RETURN(ModelGraph b, quantized_model.Clone());
    const MatchResult matches =
        MatchesOfCopies(matched, float_model, a, quantized_model, b);
    auto run = std::make_shared<AttributionRun>();
    NS_ASSIGN_OR_RETURN(AttributionTaps taps,
                        InsertAttributionTaps(a, b, matches, run));
    return Attribution(std::move(a), std::move(b), std::move(run),
                       std::move(taps));
  }

  // Adds one batch. The float model goes on with the state that its own run
  // leaves.
  absl::Status Add(const Batch& batch) {
    ModuleState for_errors(float_.module());
    ModuleState for_gradients(float_.module());
    NS_ASSIGN_OR_RETURN(
        const NamedTensors of_float,
        RunWithoutGradients(float_, batch, AttributionRun::kFloat));
    ModuleState after(float_.module());
    NS_ASSIGN_OR_RETURN(
        const NamedTensors of_quantized,
        RunWithoutGradients(quantized_, batch, AttributionRun::kQuantized));
    std::move(for_errors).Restore();
    NS_RETURN_IF_ERROR(
        RunWithoutGradients(float_, batch, AttributionRun::kErrors).status());
    std::move(for_gradients).Restore();
    const at::AutoGradMode with_gradients(true);
    NS_ASSIGN_OR_RETURN(const NamedTensors between,
                        Run(float_, batch, AttributionRun::kGradients));
    std::move(after).Restore();
    return CatchTorchErrors("attributing errors", [&] {
      AddGradients(of_float, of_quantized, between);
    });
  }

  // How many elements the outputs had so far.
  int64_t elements() const { return elements_; }

  // Sets the shares, unless no output has an error.
  void SetShares(ComparisonResult& result) const {
    if (!(error_ > kNegligible) || !std::isfinite(error_)) {
      return;
    }
    if (!absl::c_all_of(effects_, [](double x) { return std::isfinite(x); })) {
      return;
    }
    for (size_t i = 0; i < effects_.size(); ++i) {
      const bool takes_errors =
          absl::c_any_of(result.layers[i].producers,
                         [&](size_t j) { return HandsErrorsOn(result, j); });
      if (!taps_[i].empty() && !takes_errors) {
        result.layers[i].output_share = effects_[i] / error_;
      }
    }
  }

 private:
  Attribution(ModelGraph a, ModelGraph b, std::shared_ptr<AttributionRun> run,
              AttributionTaps taps)
      : float_(std::move(a)),
        quantized_(std::move(b)),
        run_(std::move(run)),
        taps_(std::move(taps)),
        effects_(taps_.size()) {}

  // Whether the local error of a layer counts as one of the layers that take
  // its output, because it has no tap.
  bool HandsErrorsOn(const ComparisonResult& result, size_t layer) const {
    const auto& shadow = result.layers[layer].shadow;
    return taps_[layer].empty() &&
           !(shadow && std::isinf(shadow->error.sqnr_db));
  }

  absl::StatusOr<NamedTensors> Run(ModelGraph& model, const Batch& batch,
                                   AttributionRun run) {
    *run_ = run;
    for (const std::vector<AttributionTapPtr>& taps : taps_) {
      for (const AttributionTapPtr& tap : taps) {
        tap->Begin();
      }
    }
    Batch own = Copied(batch);
    torch::jit::Method method = model.module().get_method(model.method());
    NS_RETURN_IF_ERROR(FitBatch(method.function().getSchema(), own));
    const torch::jit::GraphOptimizerEnabledGuard as_it_stands(false);
    return CatchTorchErrors("running", [&] {
      return OutputTensors(method(own.arguments, own.keywords));
    });
  }

  // Returns copies of what the model returns: the next run may overwrite it.
  absl::StatusOr<NamedTensors> RunWithoutGradients(ModelGraph& model,
                                                   const Batch& batch,
                                                   AttributionRun run) {
    const at::NoGradGuard no_gradients;
    NS_ASSIGN_OR_RETURN(const NamedTensors outputs, Run(model, batch, run));
    return CopiesOf(outputs);
  }

  // Differentiates the outputs `between` along the errors of the others.
  void AddGradients(const NamedTensors& of_float,
                    const NamedTensors& of_quantized,
                    const NamedTensors& between) {
    torch::autograd::variable_list outputs;
    torch::autograd::variable_list directions;
    for (const OutputPair& pair : PairByPlace(of_float, of_quantized)) {
      const at::Tensor& x = pair.of_float;
      const at::Tensor& y = pair.of_quantized;
      const auto found = absl::c_find_if(between, [&](const auto& output) {
        return output.first == pair.place;
      });
      if (found == between.end() || !found->second.requires_grad() ||
          !x.defined() || !y.defined() || !x.is_floating_point() ||
          x.sizes() != y.sizes() || x.sizes() != found->second.sizes()) {
        continue;
      }
      at::Tensor error = (y.is_quantized() ? y.dequantize() : y) - x;
      error.masked_fill_(error.isfinite().logical_not(), 0);
      const at::Tensor finite = x.masked_fill(x.isfinite().logical_not(), 0);
      const double power = Product(finite, finite);
      if (power > 0) {
        error_ += Product(error, error) / power;
        elements_ += x.numel();
        outputs.push_back(found->second);
        directions.push_back(error.to(found->second.scalar_type()) / power);
      }
    }
    if (outputs.empty()) {
      return;
    }
    torch::autograd::variable_list tapped;
    for (const std::vector<AttributionTapPtr>& taps : taps_) {
      for (const AttributionTapPtr& tap : taps) {
        absl::c_copy(tap->tapped(), std::back_inserter(tapped));
      }
    }
    const torch::autograd::variable_list gradients = torch::autograd::grad(
        outputs, tapped, directions, /*retain_graph=*/false,
        /*create_graph=*/false, /*allow_unused=*/true);
    AddEffects(gradients);
  }

  // `gradients` has those of all values that were tapped, in their order.
  void AddEffects(const torch::autograd::variable_list& gradients) {
    size_t next = 0;
    for (size_t i = 0; i < taps_.size(); ++i) {
      for (const AttributionTapPtr& tap : taps_[i]) {
        for (size_t call = 0; call < tap->tapped().size(); ++call) {
          const at::Tensor& gradient = gradients[next++];
          if (gradient.defined() && call < tap->errors().size() &&
              tap->errors()[call].defined()) {
            effects_[i] += Product(gradient, tap->errors()[call]);
          }
        }
      }
    }
  }

  ModelGraph float_;
  ModelGraph quantized_;
  std::shared_ptr<AttributionRun> run_;
  AttributionTaps taps_;
  // <e, J_i e_i>, and |e|^2, of all batches so far.
  std::vector<double> effects_;
  double error_ = 0;
  int64_t elements_ = 0;
};

}  // namespace

absl::Status MeasureOutputShares(const ModelGraph& float_model,
                                 const ModelGraph& quantized_model,
                                 const MatchResult& matched,
                                 const BatchReader& batches,
                                 ComparisonResult& result) {
  NS_ASSIGN_OR_RETURN(
      Attribution attribution,
      Attribution::Create(float_model, quantized_model, matched));
  const int64_t in_batch = ElementsInBatch(result);
  const int64_t most = std::min(
      {kMostBatches, result.batches,
       std::max<int64_t>(1, kMostElements / std::max<int64_t>(1, in_batch))});
  for (int64_t i = 0; i < most && attribution.elements() < kEnough; ++i) {
    const int64_t index = i * result.batches / most;
    NS_ASSIGN_OR_RETURN(Batch batch, batches.Read(index));
    if (in_batch > kMostElements) {
      const int64_t samples = SamplesOf(batch);
      if (in_batch / std::max<int64_t>(1, samples) > kMostInSample) {
        return absl::OkStatus();
      }
      batch = FirstSamples(
          batch, std::max<int64_t>(1, samples * kMostElements / in_batch));
    }
    NS_RETURN_IF_ERROR(
        Annotated(BatchName(batch, index), attribution.Add(batch)));
  }
  attribution.SetShares(result);
  return absl::OkStatus();
}

}  // namespace ns
