// Packs the weights of a phase for GEMMs.
#ifndef PASSES_KERNELS_CONV_PHASE_WEIGHTS_H_
#define PASSES_KERNELS_CONV_PHASE_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "passes/kernels/conv/conv_phase.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/gemm/packed_matrix.h"
#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

// The runs of inputs that each output of a phase is computed from. The inputs
// of a run lie side by side in memory. There is a run for each kernel row where
// the taps of a row meet neighbours, else one for each tap.
struct PhaseRuns {
  int64_t count = 1;
  int64_t length = 0;  // inputs of a run
  int64_t taps = 1;    // taps of a run, neighbours in a kernel row
  // Whether kernels first copy the runs of an output side by side: pairs of k
  // that may saturate go across the end of a run of odd length.
  bool dense = false;
};

// The weights of one phase. Where the outputs of a group fill whole panels
// (PackedMatrix::kPanel), all groups share one matrix, in which each has its
// own panels. Else each group has a matrix.
class PhaseWeights {
 public:
  // `weights` are those of the whole convolution, as PackedConv (conv.h) takes
  // them. `saturates` says whether sums of pairs may saturate in the kernels.
  PhaseWeights(const ConvShape& shape, const ConvPhase& phase,
               const int8_t* weights, bool saturates);

  const ConvPhase& phase() const { return phase_; }
  const PhaseRuns& runs() const { return runs_; }
  bool has_one_matrix() const { return matrices_.size() == 1; }
  const PackedMatrix& matrix(int64_t group) const {
    return matrices_[has_one_matrix() ? 0 : group];
  }
  // Of the matrices, without `rounded`.
  int64_t bytes() const;
  // The only matrix with zeros behind each run, up to a multiple of
  // PackedMatrix::kStep, which makes kernels faster. They then read past the
  // inputs of a run. That does not change products, but it changes the sum of
  // all inputs, which weights with zero points need. Null where runs need no
  // zeros or are dense, and for convolutions with groups.
  const PackedMatrix* rounded() const {
    return rounded_.n() == 0 ? nullptr : &rounded_;
  }

  // Returns `plan`, which is of the whole convolution, for this phase: the taps
  // that it does not have count as if they met zero points.
  OutputPlan PlanPhase(const OutputPlan& plan) const;
  // Whether the phase has all taps of the kernel. PlanPhase then returns `plan`
  // as it is.
  bool has_all_taps() const { return has_all_taps_; }

 private:
  ConvPhase phase_;
  PhaseRuns runs_;
  std::vector<PackedMatrix> matrices_;
  PackedMatrix rounded_;
  bool has_all_taps_ = true;
  std::vector<int32_t> missing_sums_;
  int64_t missing_k_ = 0;
};

// Returns the plan of outputs [begin, begin + count) of `plan`.
OutputPlan SlicePlan(const OutputPlan& plan, int64_t begin, int64_t count);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_PHASE_WEIGHTS_H_
