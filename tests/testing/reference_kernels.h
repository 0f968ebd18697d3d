// Inserts and runs reference kernels, in tests.
#ifndef TESTS_TESTING_REFERENCE_KERNELS_H_
#define TESTS_TESTING_REFERENCE_KERNELS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "tests/testing/modules.h"

namespace ns {

// Makes a module that returns `expression` of its arguments, "x: Tensor, y:
// Tensor", and of `attributes`.
ModelGraph LayerOf(const std::string& arguments, const std::string& expression,
                   const Attributes& attributes = {});

// InsertReferenceKernel for `node`, by the facts of the graph as it is.
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

// By how many steps of their scale two outputs, quantized with the same
// parameters, differ at most, and which fraction of the elements differs.
// StepsBetween fails the test when shapes or parameters differ.
struct Steps {
  int most = 0;
  double fraction = 0;
};
Steps StepsBetween(const KernelPair& pair);

}  // namespace ns

#endif  // TESTS_TESTING_REFERENCE_KERNELS_H_
