// Finds where the inputs of a phase's outputs are: in the tensor itself, or in
// a padded copy of a part of it.
#ifndef PASSES_KERNELS_CONV_PHASE_INPUT_H_
#define PASSES_KERNELS_CONV_PHASE_INPUT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "passes/kernels/conv/conv_phase.h"
#include "passes/kernels/conv/phase_weights.h"

namespace ns::kernels {

// Bytes behind a padded copy that may be read.
constexpr int64_t kCopySlack = 64;

// Memory that is kept for the next call. Aligned to 64 bytes.
class ScratchBytes {
 public:
  // Returns at least `size` bytes, of any value. What earlier calls returned is
  // no longer valid.
  uint8_t* Reserve(int64_t size);

 private:
  struct Free {
    void operator()(uint8_t* data) const;
  };
  std::unique_ptr<uint8_t, Free> data_;
  int64_t size_ = 0;
};

// The scratch of a thread.
struct ConvScratch {
  ScratchBytes padded;
  std::vector<const uint8_t*> rows;
  std::vector<int64_t> run_offsets;
  ScratchBytes dense;
  std::vector<const uint8_t*> dense_rows;
  // Rows of outputs that are shortened as they are copied.
  ScratchBytes outputs;
};

// The activations of one call, [batch][size][channels] as Conv (conv.h) takes
// them, and what one phase does with them.
struct PhaseInput {
  const uint8_t* data;
  int64_t batch;
  Dims size;
  int64_t channels;
  uint8_t zero_point;
  const ConvPhase* phase;
  PhaseRuns runs;
  // The outputs of the phase, in each dimension.
  Dims outputs;

  // Rows of outputs: their number over batch, depth and height.
  int64_t OutputRows() const { return batch * outputs[0] * outputs[1]; }
  // Whether a copy is needed.
  bool NeedsPadding() const;
  // Bytes of such a copy for `rows` output rows, the first of which is the
  // first of a depth.
  int64_t PaddedBytes(int64_t rows) const;
};

// Fills scratch.rows with a pointer for each output in the output rows [begin,
// end), in their order: to the input of its first tap, in the tensor or in
// scratch.padded. Fills scratch.run_offsets with the bytes from there to the
// beginning of each run.
void LocateInputs(const PhaseInput& input, int64_t begin, int64_t end,
                  ConvScratch& scratch);

// Copies the runs of each output that LocateInputs found, but from `offset`
// bytes further on (the first channel of a group), side by side to
// scratch.dense. Fills scratch.dense_rows with a pointer to them for each
// output.
void CopyRuns(const PhaseRuns& runs, int64_t offset, ConvScratch& scratch);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_PHASE_INPUT_H_
