#include "ns/search/noise_model.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/model/module_state.h"
#include "ns/batches/batches.h"

namespace ns {
namespace {

// The `number`-th vector for an output like `x`: random signs, which are the
// same for all numbers, times a row of a Hadamard matrix. Of vectors that are
// orthogonal, as many as a sample has elements give the power of its noise
// exactly.
at::Tensor ProjectionFor(const at::Tensor& x, const at::Tensor& signs,
                         int number) {
  const int64_t samples = x.dim() > 0 ? x.size(0) : 1;
  const int64_t elements = samples == 0 ? 0 : x.numel() / samples;
  std::vector<float> row;
  for (int64_t i = 0; i < elements; ++i) {
    const std::bitset<64> common(static_cast<uint64_t>(i & number));
    row.push_back(common.count() % 2 == 0 ? 1 : -1);
  }
  return (at::tensor(row).expand({samples, elements}).reshape(x.sizes()) *
          signs)
      .to(x.scalar_type());
}

at::Tensor Signs(const at::Tensor& x, at::Generator& generator) {
  return at::randint(0, 2, x.sizes(), generator, at::kFloat).mul(2).sub(1);
}

double Power(const at::Tensor& x) {
  return x.detach().to(at::kDouble).square().sum().item<double>();
}

// What an output of zeros counts as: any noise is too much for it.
constexpr double kLeastPower = 1e-30;

constexpr char kAdvice[] =
    "a search needs gradients: let ns sensitivity --budget choose what stays "
    "in float, and ns quantize make the model";

// Returns `status`; where autograd refuses a write in place, in our own words.
absl::Status NamingWrites(const absl::Status& status) {
  return !status.ok() && (absl::StrContains(status.message(), "inplace") ||
                          absl::StrContains(status.message(), "in-place"))
             ? absl::InvalidArgumentError(absl::StrCat(
                   "the model writes to a part of a tensor in place, through "
                   "which errors cannot be followed; ",
                   kAdvice))
             : status;
}

}  // namespace

absl::StatusOr<NoiseModel> NoiseModel::Create(const SearchSpace& space,
                                              const CalibratedValues& values) {
  NS_ASSIGN_OR_RETURN(NoiseGraph graph, NoiseGraph::Create(space, values));
  std::vector<int> all = graph.events().Of(space.UniformPlan(0));
  return NoiseModel(std::move(graph), std::move(all));
}

absl::StatusOr<NamedTensors> NoiseModel::Forward(const Batch& batch,
                                                 NoiseRun run) {
  graph_.Begin(run);
  Batch own = Copied(batch);
  ModelGraph& model = graph_.model();
  torch::jit::Method method = model.module().get_method(model.method());
  NS_RETURN_IF_ERROR(FitBatch(method.function().getSchema(), own));
  const torch::jit::GraphOptimizerEnabledGuard as_it_stands(false);
  absl::StatusOr<NamedTensors> outputs = CatchTorchErrors(
      [&] { return FloatOutputs(method(own.arguments, own.keywords)); });
  return outputs.ok()
             ? std::move(outputs)
             : absl::StatusOr<NamedTensors>(NamingWrites(outputs.status()));
}

absl::Status NoiseModel::Differentiate(const at::Tensor& output,
                                       const at::Tensor& projection) {
  const absl::Status status = CatchTorchErrors([&] {
    torch::autograd::backward({output}, {projection}, /*retain_graph=*/true);
  });
  return NamingWrites(NamingState(
      graph_.model().module(), status,
      "a search needs one: let ns sensitivity --budget choose what stays in "
      "float, and ns quantize make the model"));
}

absl::Status NoiseModel::AddOutput(size_t number, const std::string& place,
                                   const at::Tensor& clean,
                                   const at::Tensor& noisy,
                                   at::Generator& generator) {
  const double power = Power(clean);
  if (!std::isfinite(power)) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, " of the float model has nan or infinite values"));
  }
  powers_.resize(std::max(powers_.size(), number + 1));
  powers_[number].clean += power;
  const bool is_pair = noisy.defined() && noisy.sizes() == clean.sizes();
  powers_[number].difference += is_pair ? Power(noisy - clean) : 0;
  const int64_t samples = clean.dim() > 0 ? clean.size(0) : 1;
  const at::Tensor signs = Signs(clean, generator);
  for (int i = 0; i < projections_; ++i) {
    // Without the gradient of the other run, that of this one counts twice.
    const at::Tensor projection =
        ProjectionFor(clean, signs, i) * (is_pair ? 1 : 2);
    graph_.rows().Begin(number, samples);
    for (const at::Tensor& output : {clean, noisy}) {
      if ((is_pair || output.is_same(clean)) && output.requires_grad()) {
        NS_RETURN_IF_ERROR(Differentiate(output, projection));
      }
    }
    graph_.rows().End();
  }
  return absl::OkStatus();
}

absl::StatusOr<NamedTensors> NoiseModel::Run(const Batch& batch,
                                             int64_t index) {
  const at::AutoGradMode with_gradients(true);
  const std::string name = BatchName(batch, index);
  // Both begin with the same state, which has no gradients of other batches.
  ModuleState of_noisy(graph_.model().module());
  ModuleState of_clean(graph_.model().module());
  std::move(of_noisy).Restore();
  NS_ASSIGN_OR_RETURN(const NamedTensors noisy,
                      Annotated(name, Forward(batch, NoiseRun::kNoisy)));
  std::move(of_clean).Restore();
  NS_ASSIGN_OR_RETURN(NamedTensors outputs,
                      Annotated(name, Forward(batch, NoiseRun::kClean)));
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(
      static_cast<uint64_t>(index) + 1);
  NS_RETURN_IF_ERROR(CatchTorchErrors(name, [&]() -> absl::Status {
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto& [place, output] = outputs[i];
      NS_RETURN_IF_ERROR(Annotated(
          name, AddOutput(i, place, output,
                          i < noisy.size() ? noisy[i].second : at::Tensor(),
                          generator)));
      output = output.detach();
    }
    return absl::OkStatus();
  }));
  Summarize();
  return outputs;
}

void NoiseModel::Summarize() {
  for (size_t i = 0; i < powers_.size(); ++i) {
    OutputPower& power = powers_[i];
    power.own.clear();
    for (int event = 0; event < graph_.events().count(); ++event) {
      power.own.push_back(graph_.rows().PowerOf(i, {event}));
    }
    // What cancels among these events is no reason to expect less of others.
    const EventPowers all = PowersOf(i, all_events_);
    const double foreseen =
        all.together < all.alone
            ? std::clamp(power.difference, all.together, all.alone)
            : all.together;
    const double clean = std::max(power.clean, kLeastPower);
    power.scale = NoiseScale(foreseen / clean, power.difference / clean);
  }
}

NoiseModel::EventPowers NoiseModel::PowersOf(
    size_t output, const std::vector<int>& events) const {
  EventPowers powers;
  for (const int event : events) {
    powers.alone += powers_[output].own[static_cast<size_t>(event)];
  }
  powers.together = graph_.rows().PowerOf(output, events);
  // Rows have the sum of both gradients, not their mean.
  powers.alone /= 4 * projections_;
  powers.together /= 4 * projections_;
  return powers;
}

double NoiseModel::RelativePower(const std::vector<int>& events) const {
  double largest = 0;
  for (size_t i = 0; i < powers_.size(); ++i) {
    const EventPowers powers = PowersOf(i, events);
    const double predicted = std::max(powers.alone, powers.together) /
                             std::max(powers_[i].clean, kLeastPower);
    largest = std::max(largest, powers_[i].scale.Expected(predicted));
  }
  return largest;
}

double NoiseModel::NoiseOf(const ObserverPlan& plan) const {
  return RelativePower(graph_.events().Of(plan));
}

double NoiseModel::NoiseOfLayer(const ObserverPlan& plan, size_t layer) const {
  return RelativePower(graph_.events().OfLayer(plan, plan.layers[layer]));
}

}  // namespace ns
