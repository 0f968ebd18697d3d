#include "tools/bench/kernels/ours.h"

#include <memory>
#include <utility>

#include "passes/kernels/conv/conv.h"
#include "passes/kernels/gemm/gemm.h"
#include "passes/kernels/isa.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"
#include "tools/bench/kernels/aligned_bytes.h"

namespace ns::bench {
namespace {

using kernels::SaturationMode;

struct LinearState {
  kernels::PackedMatrix weights;
  kernels::OutputPlan plan;
  std::shared_ptr<uint8_t> output;
};

struct ConvState {
  kernels::PackedConv weights;
  kernels::OutputPlan plan;
  std::shared_ptr<uint8_t> output;
};

Implementation OurLinear(const Problem& problem) {
  const Layer& layer = problem.layer;
  const int64_t k = ProductsOf(layer);
  kernels::PackedMatrix weights(problem.weights.data(),
                                layer.shape.out_channels, 1, k);
  kernels::OutputPlan plan =
      PlanOutput(problem.Output(), weights.column_sums(), k);
  auto state = std::make_shared<LinearState>(LinearState{
      std::move(weights), std::move(plan), AlignedBytes(OutputBytes(layer))});
  return {"ours",
          [state, &problem, k] {
            Gemm(problem.input.get(), problem.layer.batch, k, state->weights,
                 state->plan, SaturationMode::kExact, state->output.get(),
                 TorchParallel);
          },
          [state] { return state->output.get(); },
          kernels::IsaName(kernels::ChosenIsa())};
}

Implementation OurConv(const Problem& problem) {
  const Layer& layer = problem.layer;
  kernels::PackedConv weights(layer.shape, problem.weights.data(),
                              SaturationMode::kExact);
  kernels::OutputPlan plan =
      PlanOutput(problem.Output(), weights.column_sums(), weights.k());
  auto state = std::make_shared<ConvState>(ConvState{
      std::move(weights), std::move(plan), AlignedBytes(OutputBytes(layer))});
  return {"ours",
          [state, &problem] {
            Conv(problem.input.get(), problem.layer.batch, problem.layer.input,
                 state->weights, state->plan, state->output.get(),
                 TorchParallel);
          },
          [state] { return state->output.get(); },
          kernels::IsaName(kernels::ChosenIsa())};
}

}  // namespace

Implementation Ours(const Problem& problem) {
  return problem.layer.linear ? OurLinear(problem) : OurConv(problem);
}

}  // namespace ns::bench
