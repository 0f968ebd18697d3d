// Builds graphs of float convolutions, and fuses them, for tests.
#ifndef TESTS_TESTING_FUSED_CONVS_H_
#define TESTS_TESTING_FUSED_CONVS_H_

#include <ATen/Functions.h>

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/runtime/float_conv.h"

namespace ns {

// A test of FuseFloatConvs. The bodies of graphs may use the inputs %x, %w, %b,
// %mean, %var, %gamma, %beta, and constants by their names: %none, %no, %yes,
// %one, %two, %zero, %six, %eps, and the lists %1, %11, %21, %00 and %01.
class FuseFloatConvsTest : public testing::Test {
 protected:
  FuseFloatConvsTest();

  // Returns a model of the body. Inputs other than %x become constants where
  // there is a tensor of that name.
  ModelGraph Model(absl::string_view body) const;

  static absl::Status FuseAll(ModelGraph& model);

  // Returns a model of the body with everything fused that can be; its
  // parameters are attributes then.
  ModelGraph Fused(absl::string_view body) const;

  // Fails the test unless fusing leaves the model of the body as it is.
  void ExpectKept(absl::string_view body) const;

  // Fails the test unless fusing makes `fused` of the body, and the model
  // computes what it did on `x`.
  void ExpectFused(absl::string_view body, absl::string_view fused,
                   const at::Tensor& x = at::randn({2, 3, 8, 8})) const;

  // Returns the parameters of the fused convolution with this number.
  static const FloatConvParameters& ParametersOf(const ModelGraph& model,
                                                 int index = 0);

  // Fails the test unless outputs agree to 1e-4 relative to the norm, as
  // FuseFloatConvs promises.
  static void ExpectNear(ModelGraph& fused, ModelGraph& plain,
                         const at::Tensor& x);

  // The constants, by the names of inputs: %w is [4, 3, 3, 3], and all others
  // are [4]. Tests may put other tensors here.
  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace ns

#endif  // TESTS_TESTING_FUSED_CONVS_H_
