#include "passes/quantization/qconfig/default_observers.h"

namespace ns {
namespace {

ObserverSpec WithRange(ObserverSpec spec, int64_t quant_min,
                       int64_t quant_max) {
  spec.config.quant_min = quant_min;
  spec.config.quant_max = quant_max;
  return spec;
}

ObserverSpec WithUse(ObserverSpec spec, ObserverUse use) {
  spec.use = use;
  return spec;
}

// Of signed bytes, with zero at 0.
ObserverSpec Symmetric(ObserverKind kind) {
  ObserverSpec spec = SpecOf(kind);
  spec.config.dtype = at::kQInt8;
  spec.config.qscheme =
      IsPerChannel(spec) ? at::kPerChannelSymmetric : at::kPerTensorSymmetric;
  return spec;
}

// -127..127, and the smallest scale that XNNPACK's kernels can requantize with.
ObserverSpec ForXnnpack(ObserverSpec spec) {
  spec.config.eps = 0x1p-12;
  return WithRange(spec, -127, 127);
}

ObserverSpec FixedQParamsSpec(double scale, int64_t zero_point) {
  ObserverSpec spec = SpecOf(ObserverKind::kFixedQParams);
  spec.config.scale = scale;
  spec.config.zero_point = zero_point;
  return WithRange(spec, 0, 255);
}

ObserverSpec FloatQParamsSpec(ObserverKind kind, at::ScalarType dtype) {
  ObserverSpec spec = SpecOf(kind);
  spec.config.dtype = dtype;
  spec.config.qscheme = at::kPerChannelAffineFloatQParams;
  return spec;
}

ObserverSpec Memoryless(ObserverSpec spec) {
  spec.config.averaging_constant = 1;
  return spec;
}

ObserverSpec WeightFakeQuant(ObserverKind kind, ObserverUse use) {
  return WithUse(WithRange(Symmetric(kind), -128, 127), use);
}

ObserverSpec EmbeddingFakeQuant(at::ScalarType dtype) {
  return WithUse(Memoryless(FloatQParamsSpec(
                     ObserverKind::kMovingAveragePerChannelMinMax, dtype)),
                 ObserverUse::kFakeQuantize);
}

}  // namespace

ObserverSpec DefaultObserver() {
  return WithRange(SpecOf(ObserverKind::kMinMax), 0, 127);
}

ObserverSpec DefaultHistogramObserver() {
  return WithRange(SpecOf(ObserverKind::kHistogram), 0, 127);
}

ObserverSpec DefaultDynamicQuantObserver() {
  return DynamicQConfig().activation;
}

ObserverSpec DefaultDebugObserver() { return SpecOf(ObserverKind::kRecording); }

ObserverSpec DefaultReuseInputObserver() {
  return SpecOf(ObserverKind::kReuseInput);
}

ObserverSpec DefaultPlaceholderObserver() { return PlaceholderSpec(); }

ObserverSpec DefaultFixedQParamsRange0To1Observer() {
  return FixedQParamsSpec(1.0 / 256, 0);
}

ObserverSpec DefaultFixedQParamsRangeNeg1To1Observer() {
  return FixedQParamsSpec(2.0 / 256, 128);
}

ObserverSpec DefaultWeightObserver() {
  return Symmetric(ObserverKind::kMinMax);
}

ObserverSpec DefaultPerChannelWeightObserver() {
  return Symmetric(ObserverKind::kPerChannelMinMax);
}

ObserverSpec WeightObserverRangeNeg127To127() {
  return ForXnnpack(DefaultWeightObserver());
}

ObserverSpec PerChannelWeightObserverRangeNeg127To127() {
  return ForXnnpack(DefaultPerChannelWeightObserver());
}

ObserverSpec DefaultFloatQParamsObserver() {
  return FloatQParamsSpec(ObserverKind::kPerChannelMinMax, at::kQUInt8);
}

ObserverSpec DefaultFloatQParamsObserver4Bit() {
  return FloatQParamsSpec(ObserverKind::kPerChannelMinMax, at::kQUInt4x2);
}

ObserverSpec DefaultFakeQuant() {
  ObserverSpec spec = DefaultFusedActFakeQuant();
  spec.config.reduce_range = true;
  return WithUse(spec, ObserverUse::kFakeQuantize);
}

ObserverSpec DefaultFusedActFakeQuant() {
  return WithUse(WithRange(SpecOf(ObserverKind::kMovingAverageMinMax), 0, 255),
                 ObserverUse::kFusedFakeQuantize);
}

ObserverSpec DefaultHistogramFakeQuant() {
  ObserverSpec spec = WithRange(SpecOf(ObserverKind::kHistogram), 0, 255);
  spec.config.reduce_range = true;
  return WithUse(spec, ObserverUse::kFakeQuantize);
}

ObserverSpec DefaultDynamicFakeQuant() {
  return WithUse(Memoryless(DefaultFusedActFakeQuant()),
                 ObserverUse::kFakeQuantize);
}

ObserverSpec DefaultFixedQParamsRange0To1FakeQuant() {
  return WithUse(DefaultFixedQParamsRange0To1Observer(),
                 ObserverUse::kFakeQuantize);
}

ObserverSpec DefaultFixedQParamsRangeNeg1To1FakeQuant() {
  return WithUse(DefaultFixedQParamsRangeNeg1To1Observer(),
                 ObserverUse::kFakeQuantize);
}

ObserverSpec DefaultWeightFakeQuant() {
  return WeightFakeQuant(ObserverKind::kMovingAverageMinMax,
                         ObserverUse::kFakeQuantize);
}

ObserverSpec DefaultPerChannelWeightFakeQuant() {
  return WeightFakeQuant(ObserverKind::kMovingAveragePerChannelMinMax,
                         ObserverUse::kFakeQuantize);
}

ObserverSpec DefaultFusedWtFakeQuant() {
  return WeightFakeQuant(ObserverKind::kMovingAverageMinMax,
                         ObserverUse::kFusedFakeQuantize);
}

ObserverSpec DefaultFusedPerChannelWtFakeQuant() {
  return WeightFakeQuant(ObserverKind::kMovingAveragePerChannelMinMax,
                         ObserverUse::kFusedFakeQuantize);
}

ObserverSpec FusedWtFakeQuantRangeNeg127To127() {
  return ForXnnpack(DefaultFusedWtFakeQuant());
}

ObserverSpec FusedPerChannelWtFakeQuantRangeNeg127To127() {
  return ForXnnpack(DefaultFusedPerChannelWtFakeQuant());
}

ObserverSpec DefaultEmbeddingFakeQuant() {
  return WithRange(EmbeddingFakeQuant(at::kQUInt8), 0, 255);
}

ObserverSpec DefaultEmbeddingFakeQuant4Bit() {
  return EmbeddingFakeQuant(at::kQUInt4x2);
}

}  // namespace ns
