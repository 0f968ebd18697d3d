// Limits which instructions the oneDNN inside LibTorch may use.
#ifndef PASSES_RUNTIME_ONEDNN_ISA_H_
#define PASSES_RUNTIME_ONEDNN_ISA_H_

namespace ns {

// Keeps the oneDNN of LibTorch 1 from using more than AVX512-VNNI: it sets the
// environment variable ONEDNN_MAX_CPU_ISA, unless that or DNNL_MAX_CPU_ISA is
// set already. With LibTorch 2 it does nothing. Call it before the first op of
// LibTorch runs.
//
// With AMX, the quantized 1x1 convolutions of LibTorch 1.13.1 write beyond the
// end of their output, by a third of its size, when an image has 27, 33, 36,
// 39, 42, 45 or 48 pixels. Other instructions give the same results.
void AvoidFaultyOneDnnKernels();

}  // namespace ns

#endif  // PASSES_RUNTIME_ONEDNN_ISA_H_
