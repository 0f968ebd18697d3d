// Inserts and runs reference kernels, in tests.
#ifndef TESTS_TESTING_REFERENCE_KERNELS_H_
#define TESTS_TESTING_REFERENCE_KERNELS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "tests/testing/modules.h"

namespace ns {

// Returns the graph of a module whose forward takes `arguments`, "x: Tensor, y:
// Tensor", and returns `expression`, TorchScript code that may use `attributes`
// as `self.name`.
ModelGraph LayerOf(const std::string& arguments, const std::string& expression,
                   const Attributes& attributes = {});

// Calls InsertReferenceKernel
// (passes/quantization/reference/reference_kernel.h) for `node` of `model`.
// Whether its output is quantized is what the graph tells.
absl::StatusOr<torch::jit::Value*> InsertReference(ModelGraph& model,
                                                   torch::jit::Node* node);

// What an op returns, and what its reference kernel returns.
struct KernelPair {
  at::Tensor kernel;
  at::Tensor reference;
};

// Inserts the reference kernel of the first `op` of `model`, and runs both.
// Throws when it has none, or cannot run.
KernelPair RunBoth(ModelGraph model, const std::string& op,
                   const std::vector<c10::IValue>& inputs);

// Returns the reason why the first `op` of `model` has no reference kernel, ""
// when it has one. Fails the test when the graph is not what it was.
std::string WhyNoReference(ModelGraph model, const std::string& op);

// The most steps by which two quantized outputs differ in an element, and the
// fraction of elements that differ, 0 to 1. StepsBetween fails the test when
// shapes, dtypes, scales or zero points differ.
struct Steps {
  int most = 0;
  double fraction = 0;
};
Steps StepsBetween(const KernelPair& pair);

}  // namespace ns

#endif  // TESTS_TESTING_REFERENCE_KERNELS_H_
