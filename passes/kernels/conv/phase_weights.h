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

// Where the inputs of an output lie side by side: a run for each kernel row
// where its taps are neighbours, else one for each tap. Dense phases copy the
// runs of an output to one.
struct PhaseRuns {
  int64_t count = 1;
  int64_t length = 0;  // inputs of a run
  int64_t taps = 1;    // taps of a run, neighbours in a kernel row
  bool dense = false;
};

// Groups without a matrix of their own have a part of the only one: outputs
// from a multiple of PackedMatrix::kPanel.
class PhaseWeights {
 public:
  // `weights` as PackedConv has them.
  PhaseWeights(const ConvShape& shape, const ConvPhase& phase,
               const int8_t* weights, bool saturates);

  const ConvPhase& phase() const { return phase_; }
  const PhaseRuns& runs() const { return runs_; }
  bool has_one_matrix() const { return matrices_.size() == 1; }
  const PackedMatrix& matrix(int64_t group) const {
    return matrices_[has_one_matrix() ? 0 : group];
  }
  int64_t bytes() const;
  // The only matrix, zeros added to its runs to make a multiple of
  // PackedMatrix::kStep: kernels are faster, and what they read behind the
  // inputs of a run does not matter, unless to the sum of all inputs. Null
  // where nothing is to be added, or groups share the matrix.
  const PackedMatrix* rounded() const {
    return rounded_.n() == 0 ? nullptr : &rounded_;
  }

  // `plan`, of all taps, for these.
  OutputPlan PlanPhase(const OutputPlan& plan) const;
  bool has_all_taps() const { return has_all_taps_; }

 private:
  ConvPhase phase_;
  PhaseRuns runs_;
  std::vector<PackedMatrix> matrices_;
  PackedMatrix rounded_;
  // Whether the phase has all taps of the kernel.
  bool has_all_taps_ = true;
  std::vector<int32_t> missing_sums_;
  int64_t missing_k_ = 0;
};

// Outputs [begin, begin + count) of `plan`.
OutputPlan SlicePlan(const OutputPlan& plan, int64_t begin, int64_t count);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_PHASE_WEIGHTS_H_
