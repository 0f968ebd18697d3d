#include "passes/kernels/conv/phase_gemm.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "passes/kernels/conv/phase_input.h"
#include "passes/kernels/gemm/gemm.h"

namespace ns::kernels {
namespace {

// Another thread is worth waking for so many multiplications.
constexpr int64_t kGrain = int64_t{1} << 21;
// The inputs of a block of outputs stay in L2, and so do pointers in L1.
constexpr int64_t kBlockBytes = int64_t{1} << 17;
constexpr int64_t kBlockOutputs = 512;
// Weights that are read again for each block should not be many times.
constexpr int64_t kManyWeights = int64_t{1} << 19;

// The data that all blocks of a call share.
struct PhaseCall {
  PhaseInput input;
  const ConvShape* shape;
  const PhaseWeights* weights;
  const OutputPlan* plan;
  // The only matrix, if `weights` has none for each group.
  const PackedMatrix* matrix;
  // The plans of groups with a matrix of their own, if there are more than one.
  std::vector<OutputPlan> group_plans;
  SaturationMode mode;
  Dims outputs;  // of the convolution
  uint8_t* out;
  int64_t output_size;
  int64_t row_bytes;  // of `out`
  // Whether these are fewer than those of the convolution's outputs.
  bool shortens_rows;
  bool comes_from_far;
};

// Bytes of the outputs of a row of the phase.
int64_t PhaseRowBytes(const PhaseCall& call) {
  return call.input.outputs[2] * call.shape->out_channels * call.output_size;
}

// Output rows of a block: as many as fit.
int64_t RowsOfBlock(const PhaseCall& call) {
  const PhaseInput& input = call.input;
  const int64_t scale = call.weights->bytes() > kManyWeights ? 4 : 1;
  int64_t rows = std::max<int64_t>(kBlockOutputs * scale / input.outputs[2], 1);
  if (input.NeedsPadding()) {
    while (rows > 1 && input.PaddedBytes(rows) > kBlockBytes * scale) {
      rows = (rows + 1) / 2;
    }
  }
  return rows;
}

// The first pixel of output row `row` of the phase, as an index into all
// pixels.
int64_t FirstPixel(const PhaseCall& call, int64_t row) {
  const Dims& outputs = call.input.outputs;
  const ConvPhase& phase = *call.input.phase;
  const int64_t plane = row / outputs[1];
  const Dims at = {phase[0].out_first + plane % outputs[0] * phase[0].out_step,
                   phase[1].out_first + row % outputs[1] * phase[1].out_step,
                   phase[2].out_first};
  return ((plane / outputs[0] * call.outputs[0] + at[0]) * call.outputs[1] +
          at[1]) *
             call.outputs[2] +
         at[2];
}

// Computes all rows of `located`, and outputs [n_begin, n_end) of `group`.
// `out` is where the outputs of the first row's pixel begin.
void MultiplyGroup(const PhaseCall& call, const GemmRowsInput& located,
                   int64_t group, int64_t n_begin, int64_t n_end,
                   uint8_t* out) {
  const int64_t group_outputs = call.shape->out_channels / call.shape->groups;
  const bool one_matrix = call.weights->has_one_matrix();
  const int64_t skipped = one_matrix ? 0 : group * group_outputs;
  const int64_t offset = one_matrix ? group * group_outputs : 0;
  GemmRows(located, one_matrix ? *call.matrix : call.weights->matrix(group),
           call.group_plans.empty() ? *call.plan : call.group_plans[group],
           offset + n_begin, offset + n_end, call.mode,
           out + skipped * call.output_size,
           (*call.input.phase)[2].out_step * call.shape->out_channels);
}

// Copies the output rows [begin, end) of the phase, which lie side by side from
// `whole_rows` on, to their places, without their ends.
void CopyShortened(const PhaseCall& call, const uint8_t* whole_rows,
                   int64_t begin, int64_t end) {
  const int64_t whole_bytes = PhaseRowBytes(call);
  for (int64_t row = begin; row < end; ++row) {
    std::memcpy(call.out + row * call.row_bytes, whole_rows, call.row_bytes);
    whole_rows += whole_bytes;
  }
}

// Output rows [begin, end), outputs [n_begin, n_end) of each group.
void MultiplyBlock(const PhaseCall& call, int64_t begin, int64_t end,
                   int64_t n_begin, int64_t n_end) {
  static thread_local ConvScratch scratch;
  LocateInputs(call.input, begin, end, scratch);
  // Where the phase leaves out pixels, rows of outputs are not at one distance.
  const bool whole = WritesAllOutputs(*call.input.phase);
  const int64_t step = whole ? end - begin : 1;
  const int64_t width = call.input.outputs[2];
  const int64_t pixel_bytes = call.shape->out_channels * call.output_size;
  const int64_t group_inputs = call.shape->in_channels / call.shape->groups;
  uint8_t* const whole_rows =
      call.shortens_rows
          ? scratch.outputs.Reserve((end - begin) * PhaseRowBytes(call))
          : nullptr;
  const PhaseRuns& runs = call.input.runs;
  const int64_t one_run = 0;
  for (int64_t group = 0; group < call.shape->groups; ++group) {
    const uint8_t* const* rows = scratch.rows.data();
    const int64_t* offsets = scratch.run_offsets.data();
    if (runs.dense) {
      CopyRuns(runs, group * group_inputs, scratch);
      rows = scratch.dense_rows.data();
      offsets = &one_run;
    } else if (group > 0) {
      for (int64_t& offset : scratch.run_offsets) {
        offset += group_inputs;
      }
    }
    for (int64_t row = begin; row < end; row += step) {
      MultiplyGroup(call,
                    {rows + (row - begin) * width, step * width, offsets,
                     call.comes_from_far},
                    group, n_begin, n_end,
                    call.shortens_rows
                        ? whole_rows
                        : call.out + FirstPixel(call, row) * pixel_bytes);
    }
  }
  if (call.shortens_rows) {
    CopyShortened(call, whole_rows, begin, end);
  }
}

void MultiplyRows(const PhaseCall& call, int64_t begin, int64_t end,
                  int64_t n_begin, int64_t n_end) {
  const int64_t rows = RowsOfBlock(call);
  for (; begin < end; begin += rows) {
    MultiplyBlock(call, begin, std::min(begin + rows, end), n_begin, n_end);
  }
}

int64_t InputBytes(const PhaseInput& input) {
  return input.batch * input.size[0] * input.size[1] * input.size[2] *
         input.channels;
}

int64_t OutputBytes(const PhaseCall& call) {
  return call.input.OutputRows() * PhaseRowBytes(call);
}

// Whether threads share outputs and not pixels: where weights are more than
// activations. Rows that are shortened are copied with all their outputs.
bool SplitsOutputs(const PhaseCall& call) {
  return call.shape->groups == 1 && !call.shortens_rows &&
         call.weights->bytes() > 2 * InputBytes(call.input);
}

}  // namespace

void ConvByGemm(const uint8_t* input, int64_t batch, const Dims& size,
                const ConvShape& shape, const PhaseWeights& weights,
                const OutputPlan& plan, SaturationMode mode,
                const Dims& outputs, void* out, int64_t row_elements,
                Parallel parallel) {
  PhaseCall call;
  call.input.data = input;
  call.input.batch = batch;
  call.input.size = size;
  call.input.channels = shape.in_channels;
  call.input.zero_point = static_cast<uint8_t>(plan.activation_zero_point);
  call.input.phase = &weights.phase();
  call.input.runs = weights.runs();
  for (int i = 0; i < 3; ++i) {
    call.input.outputs[i] = weights.phase()[i].Outputs(outputs[i]);
  }
  const int64_t rows = call.input.OutputRows();
  if (rows == 0 || call.input.outputs[2] == 0) {
    return;
  }
  OutputPlan phase_plan;
  if (!weights.has_all_taps()) {
    phase_plan = weights.PlanPhase(plan);
  }
  call.shape = &shape;
  call.weights = &weights;
  call.plan = weights.has_all_taps() ? &plan : &phase_plan;
  // What is read behind a run of the copy is in the copy, or its slack.
  call.matrix = weights.rounded() != nullptr && call.input.NeedsPadding() &&
                        plan.weight_zero_points.empty()
                    ? weights.rounded()
                    : &weights.matrix(0);
  call.mode = mode;
  call.outputs = outputs;
  call.out = static_cast<uint8_t*>(out);
  call.output_size = OutputSize(plan.type);
  call.row_bytes = row_elements * call.output_size;
  call.shortens_rows = row_elements < outputs[2] * shape.out_channels;
  call.comes_from_far =
      ComesFromFar(InputBytes(call.input) + OutputBytes(call));
  const int64_t group_outputs = shape.out_channels / shape.groups;
  if (!weights.has_one_matrix()) {
    for (int64_t group = 0; group < shape.groups; ++group) {
      call.group_plans.push_back(
          SlicePlan(*call.plan, group * group_outputs, group_outputs));
    }
  }
  const int64_t k = weights.matrix(0).k();
  if (SplitsOutputs(call)) {
    constexpr int64_t kPanel = PackedMatrix::kPanel;
    const int64_t work = rows * call.input.outputs[2] * kPanel * k;
    parallel(weights.matrix(0).panels(), kGrain / (work + 1) + 1,
             [&](int64_t begin, int64_t end) {
               MultiplyRows(call, 0, rows, begin * kPanel,
                            std::min(end * kPanel, group_outputs));
             });
    return;
  }
  const int64_t work = call.input.outputs[2] * shape.out_channels * k;
  parallel(rows, kGrain / (work + 1) + 1, [&](int64_t begin, int64_t end) {
    MultiplyRows(call, begin, end, 0, group_outputs);
  });
}

}  // namespace ns::kernels
