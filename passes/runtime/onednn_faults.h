// Keeps LibTorch 1 from two faults of its oneDNN engine.
#ifndef PASSES_RUNTIME_ONEDNN_FAULTS_H_
#define PASSES_RUNTIME_ONEDNN_FAULTS_H_

namespace ns {

// Sets two environment variables, unless they are set already. With LibTorch 2
// it does nothing. Call it before the first op of LibTorch runs.
//
// ONEDNN_MAX_CPU_ISA becomes AVX512_CORE_VNNI, if DNNL_MAX_CPU_ISA, its older
// name, is not set either: with AMX, the quantized 1x1 convolutions of LibTorch
// 1.13.1 write beyond the end of their output, by a third of its size, when an
// image has 27, 33, 36, 39, 42, 45 or 48 pixels. Other instructions give the
// same results.
//
// LRU_CACHE_CAPACITY becomes 1: LibTorch 1.13.1 keeps what it has prepared for
// earlier calls, and takes it for a layer of the same shapes whose scales have
// the same ratio, though the zero points are others, and the outputs are then
// wrong. So it is when two models that were quantized to 7 and to 8 bits run in
// one process. With 1 it keeps what the last call of a linear layer and of a
// convolution needed: a linear layer that runs right after another one with the
// same ratio, or a convolution after another, is still computed wrongly. The
// input zero points of convolutions do not matter. Models that are quantized
// here have no such layers (passes/quantization/convert/distinct_ratios.h).
void AvoidOneDnnFaults();

// Takes back what AvoidOneDnnFaults has set, for processes that look for these
// faults. Call it before the first op of LibTorch runs.
void AllowOneDnnFaults();

}  // namespace ns

#endif  // PASSES_RUNTIME_ONEDNN_FAULTS_H_
