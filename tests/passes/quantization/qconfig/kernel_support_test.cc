#include "passes/quantization/qconfig/kernel_support.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Which of the named qconfigs ops of `family` can have.
std::vector<std::string> CandidatesOf(absl::string_view family) {
  std::vector<std::string> names;
  for (const QConfig& qconfig : NamedQConfigs()) {
    if (CheckKernel(qconfig, "the op", family).ok()) {
      names.push_back(QConfigName(qconfig));
    }
  }
  return names;
}

TEST(KernelSupportTest, LinearAndConvolutionHaveAll) {
  for (const char* family : {"linear", "conv1d", "conv2d", "conv3d"}) {
    EXPECT_THAT(CandidatesOf(family),
                ElementsAre("int8 per tensor", "int8 per channel", "dynamic",
                            "fp16", "int4 weights"))
        << family;
  }
}

TEST(KernelSupportTest, TransposedConvolutionsHaveNonePerChannel) {
  EXPECT_THAT(CandidatesOf("conv_transpose2d"),
              ElementsAre("int8 per tensor", "dynamic", "fp16"));
}

TEST(KernelSupportTest, RecurrentLayersAreDynamic) {
  for (const char* family : {"lstm", "gru", "lstm_cell"}) {
    EXPECT_THAT(CandidatesOf(family),
                ElementsAre("dynamic", "fp16", "int4 weights"))
        << family;
  }
}

TEST(KernelSupportTest, EmbeddingsHaveWeightsOnly) {
  EXPECT_THAT(CandidatesOf("embedding"), ElementsAre("fp16", "int4 weights"));
}

TEST(KernelSupportTest, OpsWithoutWeightsAreStatic) {
  for (const char* family : {"add", "cat", "max_pool2d", "mean", "sigmoid"}) {
    EXPECT_THAT(CandidatesOf(family),
                ElementsAre("int8 per tensor", "int8 per channel", "fp16"))
        << family;
  }
}

TEST(KernelSupportTest, FloatOpsAreRoundedAtMost) {
  EXPECT_THAT(CandidatesOf("erf"), ElementsAre("fp16"));
  EXPECT_TRUE(CheckKernel(QConfig(), "aten::erf", "erf").ok());
}

TEST(KernelSupportTest, TheErrorNamesCandidateOpAndWayOut) {
  const std::string message(CheckKernel(Int8PerChannelQConfig(),
                                        "aten::conv_transpose2d",
                                        "conv_transpose2d")
                                .message());
  EXPECT_THAT(message, HasSubstr("'int8 per channel'"));
  EXPECT_THAT(message, HasSubstr("aten::conv_transpose2d"));
  EXPECT_THAT(message, HasSubstr("use a per-tensor candidate"));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

TEST(KernelSupportTest, ActivationsOfOtherDtypesHaveNoKernels) {
  QConfig qconfig = Int8PerTensorQConfig();
  EXPECT_TRUE(CheckActivationDtype(qconfig).ok());
  qconfig.activation.config.dtype = at::kQInt8;
  EXPECT_TRUE(CheckActivationDtype(qconfig).ok());
  qconfig.activation.config.dtype = at::kQUInt4x2;
  EXPECT_EQ(CheckActivationDtype(qconfig).message(),
            "no int8 kernel takes activations of quint4x2");
}

TEST(KernelSupportTest, NormsKeepTheirWeights) {
  EXPECT_TRUE(QuantizesWeight("linear"));
  EXPECT_TRUE(QuantizesWeight("embedding_bag"));
  EXPECT_TRUE(QuantizesWeight("lstm"));
  EXPECT_FALSE(QuantizesWeight("layer_norm"));
  EXPECT_FALSE(QuantizesWeight("batch_norm"));
  EXPECT_FALSE(QuantizesWeight("add"));
}

TEST(KernelSupportTest, PoolsAndClampsKeepTheirInputsParameters) {
  for (const char* family : {"max_pool2d", "avg_pool2d", "hardtanh", "relu",
                             "mean", "adaptive_avg_pool2d"}) {
    EXPECT_TRUE(KeepsQParams(family)) << family;
  }
  for (const char* family : {"linear", "add", "cat", "sigmoid", "softmax",
                             "sum", "sub", "div", "prod"}) {
    EXPECT_FALSE(KeepsQParams(family)) << family;
  }
}

}  // namespace
}  // namespace ns
