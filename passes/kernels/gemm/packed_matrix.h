// Packs the second operand of a GEMM in the order that its kernels read it.
#ifndef PASSES_KERNELS_GEMM_PACKED_MATRIX_H_
#define PASSES_KERNELS_GEMM_PACKED_MATRIX_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"

namespace ns::kernels {

// Weights b[n][k], s8, of `n` outputs. k counts `runs` runs of `run_length`
// weights: a run meets activations that lie side by side in memory (a GEMM has
// one run; a 3x3 convolution over channels-last activations has three, of 3 *
// channels each).
//
// The layout is the same for all instruction sets:
//
//   [n / 16][run][run_length / 4][n % 16][k % 4]
//
// with zeros where n or a run's length does not fill its last block, so that
// 64 bytes hold four consecutive k of 16 outputs: an operand of vpdpbusd, or a
// row of an AMX tile.
class PackedMatrix {
 public:
  static constexpr int64_t kPanel = 16;  // outputs side by side
  static constexpr int64_t kStep = 4;    // consecutive k side by side
  static constexpr int64_t kSlack = 1024;
  // What OfActivations takes off each activation, to give it a sign.
  static constexpr int32_t kActivationOffset = 128;

  PackedMatrix() = default;
  // `weights` is [n][runs * run_length], dense.
  PackedMatrix(const int8_t* weights, int64_t n, int64_t runs,
               int64_t run_length);
  // Packs activations in the place of weights, with one run: b[n][k] is
  // activations[n * n_stride + k * k_stride] - kActivationOffset, which is the
  // quantized value of the same number for a zero point that is as much lower.
  // It is fast where one of the strides is 1.
  static PackedMatrix OfActivations(const uint8_t* activations, int64_t n,
                                    int64_t k, int64_t n_stride,
                                    int64_t k_stride);

  int64_t n() const { return n_; }
  int64_t runs() const { return runs_; }
  int64_t run_length() const { return run_length_; }
  int64_t k() const { return runs_ * run_length_; }
  // Groups of four k in a run, the last one padded.
  int64_t run_steps() const { return (run_length_ + kStep - 1) / kStep; }
  int64_t panels() const { return (n_ + kPanel - 1) / kPanel; }
  // Bytes of a panel: runs * run_steps * 64.
  int64_t panel_bytes() const { return runs_ * run_steps() * kPanel * kStep; }

  // 64-byte aligned; panels() * panel_bytes() bytes, and kSlack behind them
  // that may be read.
  const int8_t* data() const { return data_.get(); }
  const int8_t* panel(int64_t index) const {
    return data_.get() + index * panel_bytes();
  }

  // The sum of the weights of each output.
  absl::Span<const int32_t> column_sums() const { return column_sums_; }

 private:
  // All weights are 0.
  PackedMatrix(int64_t n, int64_t runs, int64_t run_length);

  struct Free {
    void operator()(int8_t* data) const;
  };

  int64_t n_ = 0;
  int64_t runs_ = 0;
  int64_t run_length_ = 0;
  std::unique_ptr<int8_t, Free> data_;
  std::vector<int32_t> column_sums_;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_PACKED_MATRIX_H_
