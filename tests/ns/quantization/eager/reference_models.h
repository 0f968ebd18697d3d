// Models of the shapes that PyTorch's tests of eager quantization have, and
// what these tests ask of models.
#ifndef TESTS_NS_QUANTIZATION_EAGER_REFERENCE_MODELS_H_
#define TESTS_NS_QUANTIZATION_EAGER_REFERENCE_MODELS_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ns/batches/batch.h"

namespace ns {

// The types of linear layers: float, quantized, and dynamic.
inline constexpr char kFloatLinear[] = "torch.nn.modules.linear.Linear";
inline constexpr char kQuantizedLinear[] =
    "torch.ao.nn.quantized.modules.linear.Linear";
inline constexpr char kDynamicLinear[] =
    "torch.ao.nn.quantized.dynamic.modules.linear.Linear";

// A linear layer with random weights.
torch::jit::Module RandomLinear(int64_t in, int64_t out);

// A module of type `torch.nn.modules.<type>` with parameters `weight` and
// `bias`, that computes `torch.<op>(x, weight, bias)`.
torch::jit::Module LayerOf(const std::string& type, const std::string& op,
                           const at::Tensor& weight, const at::Tensor& bias);

// A batch norm of `dimensions`, "1d", with random parameters and statistics.
torch::jit::Module BatchNorm(const std::string& dimensions, int64_t channels);

// A module of type `torch.nn.modules.<type>` that computes `result` of `x`.
torch::jit::Module Elementwise(const std::string& type,
                               const std::string& result);

// Modules `fc`, from 5 to 5 features, and `relu`.
torch::jit::Module LinearAndRelu();

// Calls `fc1`, and then `fc2`.
torch::jit::Module TwoLayers(const torch::jit::Module& fc1,
                             const torch::jit::Module& fc2);

// Calls `sub1`, a LinearAndRelu, then `sub2`, and then `fc3`. All take and give
// 5 features.
torch::jit::Module Nested(const torch::jit::Module& sub2,
                          const torch::jit::Module& fc3);

// A FloatFunctional with all of its methods.
torch::jit::Module FloatFunctional();

// `module` between stubs.
torch::jit::Module Wrapped(const torch::jit::Module& module);

// The module at `path`.
torch::jit::Module ChildAt(const torch::jit::Module& model,
                           const std::string& path);

// The type of the module at `path`, without mangling.
std::string TypeAtPath(const torch::jit::Module& model,
                       const std::string& path);

// The paths of the modules whose output is observed, sorted.
std::vector<std::string> ObservedPaths(const torch::jit::Module& model);

// A batch of one tensor.
Batch BatchOf(const at::Tensor& x);

// Paths of all tensors, numbers and packed weights that `model` holds.
std::vector<std::string> StateNames(const torch::jit::Module& model);

// Gives `to` the tensors, numbers and packed weights of `from`, which has the
// same StateNames.
void LoadState(const torch::jit::Module& from, torch::jit::Module& to);

// Expects that `quantized` has neither qconfigs nor observers, and gives the
// same for `x` after it was saved and loaded.
void ExpectStandsAlone(const torch::jit::Module& quantized,
                       const at::Tensor& x);

// Expects that outputs differ by a tenth of their norm at most; only that they
// are finite where sums of the engine that is set saturate.
void ExpectNear(const at::Tensor& actual, const at::Tensor& expected);

}  // namespace ns

#endif  // TESTS_NS_QUANTIZATION_EAGER_REFERENCE_MODELS_H_
