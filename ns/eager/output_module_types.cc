#include "ns/eager/output_module_types.h"

#include <algorithm>

#include "ir/graph/module_path.h"

namespace ns {
namespace {

constexpr absl::string_view kOutputModuleTypes[] = {
    "torch.nn.intrinsic.modules.fused.BNReLU2d",
    "torch.nn.intrinsic.modules.fused.BNReLU3d",
    "torch.nn.intrinsic.modules.fused.ConvBn1d",
    "torch.nn.intrinsic.modules.fused.ConvBn2d",
    "torch.nn.intrinsic.modules.fused.ConvBn3d",
    "torch.nn.intrinsic.modules.fused.ConvBnReLU1d",
    "torch.nn.intrinsic.modules.fused.ConvBnReLU2d",
    "torch.nn.intrinsic.modules.fused.ConvBnReLU3d",
    "torch.nn.intrinsic.modules.fused.ConvReLU1d",
    "torch.nn.intrinsic.modules.fused.ConvReLU2d",
    "torch.nn.intrinsic.modules.fused.ConvReLU3d",
    "torch.nn.intrinsic.modules.fused.LinearBn1d",
    "torch.nn.intrinsic.modules.fused.LinearReLU",
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvBn1d",
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvBn2d",
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvBn3d",
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvBnReLU1d",
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvBnReLU2d",
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvBnReLU3d",
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvReLU2d",
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvReLU3d",
    "torch.nn.intrinsic.qat.modules.linear_fused.LinearBn1d",
    "torch.nn.intrinsic.qat.modules.linear_relu.LinearReLU",
    "torch.nn.intrinsic.quantized.dynamic.modules.linear_relu.LinearReLU",
    "torch.nn.intrinsic.quantized.modules.bn_relu.BNReLU2d",
    "torch.nn.intrinsic.quantized.modules.bn_relu.BNReLU3d",
    "torch.nn.intrinsic.quantized.modules.conv_relu.ConvReLU1d",
    "torch.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d",
    "torch.nn.intrinsic.quantized.modules.conv_relu.ConvReLU3d",
    "torch.nn.intrinsic.quantized.modules.linear_relu.LinearReLU",
    "torch.nn.modules.activation.ELU",
    "torch.nn.modules.activation.Hardswish",
    "torch.nn.modules.activation.LeakyReLU",
    "torch.nn.modules.activation.PReLU",
    "torch.nn.modules.activation.ReLU6",
    "torch.nn.modules.batchnorm.BatchNorm2d",
    "torch.nn.modules.batchnorm.BatchNorm3d",
    "torch.nn.modules.conv.Conv1d",
    "torch.nn.modules.conv.Conv2d",
    "torch.nn.modules.conv.Conv3d",
    "torch.nn.modules.conv.ConvTranspose1d",
    "torch.nn.modules.conv.ConvTranspose2d",
    "torch.nn.modules.conv.ConvTranspose3d",
    "torch.nn.modules.instancenorm.InstanceNorm1d",
    "torch.nn.modules.instancenorm.InstanceNorm2d",
    "torch.nn.modules.instancenorm.InstanceNorm3d",
    "torch.nn.modules.linear.Linear",
    "torch.nn.modules.linear.NonDynamicallyQuantizableLinear",
    "torch.nn.modules.normalization.GroupNorm",
    "torch.nn.modules.normalization.LayerNorm",
    "torch.nn.modules.rnn.GRU",
    "torch.nn.modules.rnn.GRUCell",
    "torch.nn.modules.rnn.LSTM",
    "torch.nn.modules.rnn.LSTMCell",
    "torch.nn.modules.rnn.RNNCell",
    "torch.nn.modules.sparse.Embedding",
    "torch.nn.modules.sparse.EmbeddingBag",
    "torch.nn.qat.dynamic.modules.linear.Linear",
    "torch.nn.qat.modules.conv.Conv2d",
    "torch.nn.qat.modules.conv.Conv3d",
    "torch.nn.qat.modules.linear.Linear",
    "torch.nn.quantized.dynamic.modules.linear.Linear",
    "torch.nn.quantized.dynamic.modules.rnn.GRU",
    "torch.nn.quantized.dynamic.modules.rnn.GRUCell",
    "torch.nn.quantized.dynamic.modules.rnn.LSTM",
    "torch.nn.quantized.dynamic.modules.rnn.LSTMCell",
    "torch.nn.quantized.dynamic.modules.rnn.RNNCell",
    "torch.nn.quantized.modules.DeQuantize",
    "torch.nn.quantized.modules.Quantize",
    "torch.nn.quantized.modules.activation.ELU",
    "torch.nn.quantized.modules.activation.Hardswish",
    "torch.nn.quantized.modules.activation.LeakyReLU",
    "torch.nn.quantized.modules.activation.PReLU",
    "torch.nn.quantized.modules.activation.ReLU6",
    "torch.nn.quantized.modules.batchnorm.BatchNorm2d",
    "torch.nn.quantized.modules.batchnorm.BatchNorm3d",
    "torch.nn.quantized.modules.conv.Conv1d",
    "torch.nn.quantized.modules.conv.Conv2d",
    "torch.nn.quantized.modules.conv.Conv3d",
    "torch.nn.quantized.modules.conv.ConvTranspose1d",
    "torch.nn.quantized.modules.conv.ConvTranspose2d",
    "torch.nn.quantized.modules.conv.ConvTranspose3d",
    "torch.nn.quantized.modules.embedding_ops.Embedding",
    "torch.nn.quantized.modules.embedding_ops.EmbeddingBag",
    "torch.nn.quantized.modules.functional_modules.FloatFunctional",
    "torch.nn.quantized.modules.functional_modules.QFunctional",
    "torch.nn.quantized.modules.linear.Linear",
    "torch.nn.quantized.modules.normalization.GroupNorm",
    "torch.nn.quantized.modules.normalization.InstanceNorm1d",
    "torch.nn.quantized.modules.normalization.InstanceNorm2d",
    "torch.nn.quantized.modules.normalization.InstanceNorm3d",
    "torch.nn.quantized.modules.normalization.LayerNorm",
    "torch.quantization.stubs.QuantStub",
};

constexpr absl::string_view kNeverLogged[] = {
    "torch.nn.modules.container.Sequential",
    "torch.nn.modules.dropout.Dropout",
    "torch.nn.modules.linear.Identity",
    "torch.nn.quantized.modules.dropout.Dropout",
    "torch.quantization.stubs.DeQuantStub",
};

}  // namespace

absl::Span<const absl::string_view> DefaultOutputModuleTypes() {
  return kOutputModuleTypes;
}

bool IsNeverLogged(absl::string_view type) {
  return std::any_of(
      std::begin(kNeverLogged), std::end(kNeverLogged),
      [&](absl::string_view never) { return IsTypeNamed(type, never); });
}

}  // namespace ns
