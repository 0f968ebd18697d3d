#include "ns/quantization/model/calibrator.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>

#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/batches/run_batches.h"
#include "passes/instrument/pair/fuse_float_convs.h"
#include "passes/quantization/observe/prepared_model.h"

namespace ns {
namespace {

// Whether an observer must see the bits that the model computes.
bool HasCompatObserver(const torch::jit::Module& prepared) {
  return absl::c_any_of(AttachedObservers(prepared), [](const auto& named) {
    return named.second->config().compat;
  });
}

}  // namespace

absl::Status MakeConvsFast(ModelGraph& model) {
  // Weights are constants behind the ops that mark them for convert-observers,
  // and in a file, strides are lists that the graph makes.
  NS_RETURN_IF_ERROR(CatchTorchErrors("folding constants", [&] {
    std::shared_ptr<torch::jit::Graph> graph = model.shared_graph();
    torch::jit::ConstantPropagation(graph);
  }));
  return FuseFloatConvs(model, ConvolutionsOf(model.graph()));
}

absl::StatusOr<Calibrator> Calibrator::Create(const ModelGraph& prepared) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, prepared.Clone());
  if (!HasCompatObserver(copy.module())) {
    NS_RETURN_IF_ERROR(MakeConvsFast(copy));
  }
  return Calibrator(std::move(copy));
}

absl::Status Calibrator::Run(const Batch& batch, int64_t index) {
  return RunBatch("float", copy_, batch, index).status();
}

absl::Status Calibrator::Run(
    const BatchReader& reader, absl::Span<const int64_t> numbers,
    const std::function<void(size_t done)>& after_batch) {
  return RunBatches("float", copy_, reader, numbers, after_batch);
}

}  // namespace ns
