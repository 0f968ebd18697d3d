// The observers and fake quantizations that PyTorch 1.13 has names for, and by
// these names (torch/ao/quantization/observer.py, fake_quantize.py).
#ifndef PASSES_QUANTIZATION_DEFAULT_OBSERVERS_H_
#define PASSES_QUANTIZATION_DEFAULT_OBSERVERS_H_

#include "passes/quantization/qconfig.h"

namespace ns {

// Of activations. The first and the second are of 7 bits, 0..127, with which
// no kernel's sums saturate.
ObserverSpec DefaultObserver();
ObserverSpec DefaultHistogramObserver();
ObserverSpec DefaultDynamicQuantObserver();
ObserverSpec DefaultDebugObserver();
ObserverSpec DefaultReuseInputObserver();
ObserverSpec DefaultPlaceholderObserver();
// Of values within 0..1 and -1..1.
ObserverSpec DefaultFixedQParamsRange0To1Observer();
ObserverSpec DefaultFixedQParamsRangeNeg1To1Observer();

// Of weights.
ObserverSpec DefaultWeightObserver();
ObserverSpec DefaultPerChannelWeightObserver();
ObserverSpec WeightObserverRangeNeg127To127();
ObserverSpec PerChannelWeightObserverRangeNeg127To127();
// Of embeddings, a scale and a real zero point for each row.
ObserverSpec DefaultFloatQParamsObserver();
ObserverSpec DefaultFloatQParamsObserver4Bit();

// Of activations, in training.
ObserverSpec DefaultFakeQuant();
ObserverSpec DefaultFusedActFakeQuant();
ObserverSpec DefaultHistogramFakeQuant();
// Its observer keeps the newest batch alone.
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

#endif  // PASSES_QUANTIZATION_DEFAULT_OBSERVERS_H_
