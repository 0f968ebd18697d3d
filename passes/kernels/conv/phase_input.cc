#include "passes/kernels/conv/phase_input.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ns::kernels {
namespace {

// Bytes between neighbours in a tensor, or in a copy: planes are the inputs of
// different depths, lines those of different heights.
struct Pitch {
  int64_t plane;
  int64_t line;
  int64_t pixel;
};

// Output rows of one image and depth, [begin, end) of the rows of the call.
struct Segment {
  int64_t image;
  int64_t depth;
  int64_t height;  // of the first row
  int64_t rows;
};

Segment FirstSegment(const PhaseInput& input, int64_t begin, int64_t end) {
  const int64_t height = begin % input.outputs[1];
  const int64_t plane = begin / input.outputs[1];
  return {plane / input.outputs[0], plane % input.outputs[0], height,
          std::min(end - begin, input.outputs[1] - height)};
}

// Lines of a copy that serves `rows` output rows, and pixels of a line.
int64_t CopiedLines(const PhaseInput& input, int64_t rows) {
  const PhaseAxis& axis = (*input.phase)[1];
  return (rows - 1) * axis.stride + axis.Span();
}

int64_t CopiedPixels(const PhaseInput& input) {
  const PhaseAxis& axis = (*input.phase)[2];
  return (input.outputs[2] - 1) * axis.stride + axis.Span();
}

// Line `line` (a position, maybe between or outside the inputs) of a plane of
// the tensor, null where all of it is zero points, to `to`.
void CopyLine(const PhaseInput& input, const uint8_t* plane, int64_t line,
              uint8_t* to) {
  const PhaseAxis& height = (*input.phase)[1];
  const PhaseAxis& width = (*input.phase)[2];
  const int64_t pixels = CopiedPixels(input);
  const int64_t c = input.channels;
  if (plane == nullptr || line < 0 || line % height.spread != 0 ||
      line / height.spread >= input.size[1]) {
    std::memset(to, input.zero_point, pixels * c);
    return;
  }
  const uint8_t* from = plane + line / height.spread * input.size[2] * c;
  const int64_t least = width.Least(0);
  if (width.spread != 1) {
    std::memset(to, input.zero_point, pixels * c);
    for (int64_t i = 0; i < input.size[2]; ++i) {
      const int64_t pixel = i * width.spread - least;
      if (pixel >= 0 && pixel < pixels) {
        std::memcpy(to + pixel * c, from + i * c, c);
      }
    }
    return;
  }
  // Pixels before, within and behind the inputs.
  const int64_t before = std::min(std::max<int64_t>(-least, 0), pixels);
  const int64_t end = std::min(std::max(input.size[2] - least, before), pixels);
  std::memset(to, input.zero_point, before * c);
  if (end > before) {
    std::memcpy(to + before * c, from + (least + before) * c,
                (end - before) * c);
  }
  std::memset(to + end * c, input.zero_point, (pixels - end) * c);
}

// The inputs of a segment, one plane for each tap of the depth.
void CopySegment(const PhaseInput& input, const Segment& segment,
                 const Pitch& pitch, uint8_t* to) {
  const PhaseAxis& depth = (*input.phase)[0];
  const int64_t first_line = (*input.phase)[1].Least(segment.height);
  const int64_t lines = CopiedLines(input, segment.rows);
  for (int64_t tap = 0; tap < depth.taps; ++tap) {
    const int64_t position = depth.First(segment.depth) + tap * depth.step;
    const uint8_t* plane = nullptr;
    if (position >= 0 && position % depth.spread == 0 &&
        position / depth.spread < input.size[0]) {
      plane = input.data +
              (segment.image * input.size[0] + position / depth.spread) *
                  input.size[1] * input.size[2] * input.channels;
    }
    for (int64_t i = 0; i < lines; ++i) {
      CopyLine(input, plane, first_line + i,
               to + tap * pitch.plane + i * pitch.line);
    }
  }
}

// `first` is the input of the first tap of a segment's first output.
const uint8_t** LocateSegment(const PhaseInput& input, const Segment& segment,
                              const Pitch& pitch, const uint8_t* first,
                              const uint8_t** rows) {
  const int64_t line_step = (*input.phase)[1].stride * pitch.line;
  const int64_t pixel_step = (*input.phase)[2].stride * pitch.pixel;
  for (int64_t h = 0; h < segment.rows; ++h) {
    const uint8_t* row = first + h * line_step;
    for (int64_t w = 0; w < input.outputs[2]; ++w) {
      *rows++ = row + w * pixel_step;
    }
  }
  return rows;
}

void LocateRuns(const PhaseInput& input, const Pitch& pitch, int64_t plane_step,
                std::vector<int64_t>& offsets) {
  const ConvPhase& phase = *input.phase;
  offsets.clear();
  for (int64_t d = 0; d < phase[0].taps; ++d) {
    for (int64_t h = 0; h < phase[1].taps; ++h) {
      for (int64_t w = 0; w < phase[2].taps; w += input.runs.taps) {
        offsets.push_back(d * plane_step + h * phase[1].step * pitch.line +
                          w * phase[2].step * pitch.pixel);
      }
    }
  }
}

}  // namespace

uint8_t* ScratchBytes::Reserve(int64_t size) {
  if (size > size_) {
    size_ = (size + 4095) / 4096 * 4096;
    data_.reset(static_cast<uint8_t*>(std::aligned_alloc(64, size_)));
  }
  return data_.get();
}

void ScratchBytes::Free::operator()(uint8_t* data) const { std::free(data); }

bool PhaseInput::NeedsPadding() const {
  if (Taps(*phase) == 0) {
    return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (!(*phase)[i].StaysInside(outputs[i], size[i])) {
      return true;
    }
  }
  return false;
}

int64_t PhaseInput::PaddedBytes(int64_t rows) const {
  const int64_t segments = (rows - 1) / outputs[1] + 1;
  return segments * (*phase)[0].taps *
         CopiedLines(*this, std::min(rows, outputs[1])) * CopiedPixels(*this) *
         channels;
}

void LocateInputs(const PhaseInput& input, int64_t begin, int64_t end,
                  ConvScratch& scratch) {
  const ConvPhase& phase = *input.phase;
  scratch.rows.resize((end - begin) * input.outputs[2]);
  const uint8_t** rows = scratch.rows.data();
  if (Taps(phase) == 0) {
    std::fill(scratch.rows.begin(), scratch.rows.end(), input.data);
    scratch.run_offsets.assign(1, 0);
    return;
  }
  if (!input.NeedsPadding()) {
    const int64_t line = input.size[2] * input.channels;
    const Pitch pitch = {input.size[1] * line, line, input.channels};
    while (begin < end) {
      const Segment segment = FirstSegment(input, begin, end);
      const int64_t depth =
          segment.image * input.size[0] + phase[0].First(segment.depth);
      rows = LocateSegment(input, segment, pitch,
                           input.data + depth * pitch.plane +
                               phase[1].First(segment.height) * pitch.line +
                               phase[2].First(0) * pitch.pixel,
                           rows);
      begin += segment.rows;
    }
    LocateRuns(input, pitch, phase[0].step * pitch.plane, scratch.run_offsets);
  } else {
    const int64_t most_rows = std::min(end - begin, input.outputs[1]);
    const int64_t line = CopiedPixels(input) * input.channels;
    const Pitch pitch = {CopiedLines(input, most_rows) * line, line,
                         input.channels};
    const int64_t segment_bytes = phase[0].taps * pitch.plane;
    const int64_t segments =
        (end - 1) / input.outputs[1] - begin / input.outputs[1] + 1;
    uint8_t* to = scratch.padded.Reserve(segments * segment_bytes + kCopySlack);
    // Where taps go backwards, the first is not the least.
    const int64_t first = (phase[1].First(0) - phase[1].Least(0)) * pitch.line +
                          (phase[2].First(0) - phase[2].Least(0)) * pitch.pixel;
    while (begin < end) {
      const Segment segment = FirstSegment(input, begin, end);
      CopySegment(input, segment, pitch, to);
      rows = LocateSegment(input, segment, pitch, to + first, rows);
      begin += segment.rows;
      to += segment_bytes;
    }
    LocateRuns(input, pitch, pitch.plane, scratch.run_offsets);
  }
}

void CopyRuns(const PhaseRuns& runs, int64_t offset, ConvScratch& scratch) {
  const int64_t count = static_cast<int64_t>(scratch.rows.size());
  const int64_t pitch = (runs.count * runs.length + 63) / 64 * 64;
  uint8_t* to = scratch.dense.Reserve(count * pitch);
  scratch.dense_rows.resize(count);
  for (int64_t i = 0; i < count; ++i) {
    scratch.dense_rows[i] = to + i * pitch;
    for (int64_t run = 0; run < runs.count; ++run) {
      std::memcpy(to + i * pitch + run * runs.length,
                  scratch.rows[i] + scratch.run_offsets[run] + offset,
                  runs.length);
    }
  }
}

}  // namespace ns::kernels
