// Graphs of float convolutions, fused, in tests.
#ifndef TESTS_TESTING_FUSED_CONVS_H_
#define TESTS_TESTING_FUSED_CONVS_H_

#include <ATen/Functions.h>

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/model_graph.h"
#include "passes/runtime/float_conv.h"

namespace ns {

// Bodies of graphs may use the inputs %x, %w, %b, %mean, %var, %gamma, %beta,
// and constants by their names: %none, %no, %yes, %one, %two, %zero, %six,
// %eps, and of lists %1, %11, %21, %00 and %01.
class FuseFloatConvsTest : public testing::Test {
 protected:
  FuseFloatConvsTest();

  // Inputs but %x become constants where there is a tensor of that name.
  ModelGraph Model(absl::string_view body) const;

  static absl::Status FuseAll(ModelGraph& model);

  // The body with everything fused that can be; its parameters are in
  // attributes now.
  ModelGraph Fused(absl::string_view body) const;

  void ExpectKept(absl::string_view body) const;

  // Fused as `fused` has it, and that computes what it did on `x`.
  void ExpectFused(absl::string_view body, absl::string_view fused,
                   const at::Tensor& x = at::randn({2, 3, 8, 8})) const;

  static const FloatConvParameters& ParametersOf(const ModelGraph& model,
                                                 int index = 0);

  // 1e-4 relative to the norm, as FuseFloatConvs promises.
  static void ExpectNear(ModelGraph& fused, ModelGraph& plain,
                         const at::Tensor& x);

  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace ns

#endif  // TESTS_TESTING_FUSED_CONVS_H_
