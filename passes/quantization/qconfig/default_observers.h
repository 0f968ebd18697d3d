// The observers and fake quantizations that PyTorch 1.13 has names for, and by
// these names (torch/ao/quantization/observer.py, fake_quantize.py).
#ifndef PASSES_QUANTIZATION_QCONFIG_DEFAULT_OBSERVERS_H_
#define PASSES_QUANTIZATION_QCONFIG_DEFAULT_OBSERVERS_H_

#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// Of activations. The first two use 7 bits, 0..127: with these, the sums of no
// kernel saturate.
ObserverSpec DefaultObserver();
ObserverSpec DefaultHistogramObserver();
ObserverSpec DefaultDynamicQuantObserver();
ObserverSpec DefaultDebugObserver();
ObserverSpec DefaultReuseInputObserver();
ObserverSpec DefaultPlaceholderObserver();
// Of values that are known to be within 0..1 and -1..1: scale and zero point
// are fixed, and nothing is observed.
ObserverSpec DefaultFixedQParamsRange0To1Observer();
ObserverSpec DefaultFixedQParamsRangeNeg1To1Observer();

// Of weights. RangeNeg127To127 is for XNNPACK: no -128, and no scale below
// 2^-12.
ObserverSpec DefaultWeightObserver();
ObserverSpec DefaultPerChannelWeightObserver();
ObserverSpec WeightObserverRangeNeg127To127();
ObserverSpec PerChannelWeightObserverRangeNeg127To127();
// Of weights of embeddings: each row has a scale and a zero point that is a
// float (at::kPerChannelAffineFloatQParams).
ObserverSpec DefaultFloatQParamsObserver();
ObserverSpec DefaultFloatQParamsObserver4Bit();

// Of activations, in training.
ObserverSpec DefaultFakeQuant();
ObserverSpec DefaultFusedActFakeQuant();
ObserverSpec DefaultHistogramFakeQuant();
// Its observer forgets all batches but the newest.
ObserverSpec DefaultDynamicFakeQuant();
ObserverSpec DefaultFixedQParamsRange0To1FakeQuant();
ObserverSpec DefaultFixedQParamsRangeNeg1To1FakeQuant();

// Of weights, in training.
ObserverSpec DefaultWeightFakeQuant();
ObserverSpec DefaultPerChannelWeightFakeQuant();
ObserverSpec DefaultFusedWtFakeQuant();
ObserverSpec DefaultFusedPerChannelWtFakeQuant();
ObserverSpec FusedWtFakeQuantRangeNeg127To127();
ObserverSpec FusedPerChannelWtFakeQuantRangeNeg127To127();
ObserverSpec DefaultEmbeddingFakeQuant();
ObserverSpec DefaultEmbeddingFakeQuant4Bit();

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_DEFAULT_OBSERVERS_H_
