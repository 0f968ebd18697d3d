#include "passes/kernels/depthwise/lane_conv.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace ns::kernels {
namespace {

// Inputs that are kept at a time, in the order a kernel wants them: they should
// stay in L1.
constexpr int64_t kScratchBytes = 24 * 1024;
// So many products are worth another thread.
constexpr int64_t kProductsOfThread = 1 << 17;

// The work of a convolution in tasks. A pass is the rows of outputs, of one
// depth, that a lane computes together; a task is a pass of all the lanes of a
// block, which for few channels are several.
class LaneTasks {
 public:
  explicit LaneTasks(const LaneConv& conv)
      : conv_(conv),
        output_(ConvOutput(conv.shape, conv.size)),
        passes_of_depth_((output_[1] + conv.output_rows - 1) /
                         conv.output_rows),
        passes_(output_[0] * passes_of_depth_) {}

  const LaneConv& conv() const { return conv_; }
  const Dims& output() const { return output_; }

  // Of one image: block after block. Only the last one may have lanes for
  // several passes.
  int64_t Count() const {
    const int64_t blocks = static_cast<int64_t>(conv_.blocks.size());
    const int64_t rows = conv_.blocks.back().rows();
    return (blocks - 1) * passes_ + (passes_ + rows - 1) / rows;
  }
  int64_t BlockOf(int64_t task) const {
    const int64_t blocks = static_cast<int64_t>(conv_.blocks.size());
    return std::min(task / passes_, blocks - 1);
  }
  // The first one of a task.
  int64_t PassOf(int64_t task) const {
    const int64_t block = BlockOf(task);
    return (task - block * passes_) * conv_.blocks[block].rows();
  }
  int64_t Passes() const { return passes_; }

  int64_t DepthOf(int64_t pass) const { return pass / passes_of_depth_; }
  int64_t RowOf(int64_t pass) const {
    return pass % passes_of_depth_ * conv_.output_rows;
  }

  // The most products of a task.
  int64_t Products() const {
    const Dims& kernel = conv_.shape.kernel;
    return conv_.output_rows * output_[2] * kBlockChannels * kernel[0] *
           kernel[1] * kernel[2] * conv_.shape.in_channels / conv_.shape.groups;
  }

 private:
  const LaneConv& conv_;
  const Dims output_;
  const int64_t passes_of_depth_;
  const int64_t passes_;
};

// Copies what channels have of their own to the order of chunks.
template <typename T>
void CopyToLanes(const std::vector<T>& of_channels, const LaneBlock& block,
                 T* to) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const T* from = of_channels.data() + block.first_channel[lane];
    if (block.lane_channels == kLaneChannels) {
      for (int i = 0; i < kLaneChannels; i += 4) {
        std::memcpy(to + PlaceInChunks(lane, i), from + i, 4 * sizeof(T));
      }
    } else {
      for (int i = 0; i < block.lane_channels; ++i) {
        to[PlaceInChunks(lane, i)] = from[i];
      }
    }
  }
}

// The state of one thread.
class Worker {
 public:
  explicit Worker(const LaneTasks& tasks);

  // Task `task` of image `image`.
  void Run(void (*kernel)(const LaneStrip& strip), int64_t image, int64_t task);

 private:
  void SetBlock(int64_t index);
  void SetRows(int64_t image, int64_t pass, int64_t lane);

  struct alignas(64) Buffers {
    uint8_t padding[kBlockChannels];
    uint8_t waste[kBlockChannels];
    int32_t start[kBlockChannels];
    float addend[kBlockChannels];
    float multiplier[kBlockChannels];
    int32_t weight_zero_points[kBlockChannels];
  };

  const LaneTasks& tasks_;
  const LaneConv& conv_;
  const int64_t element_size_;
  int64_t block_ = -1;
  Buffers buffers_;
  std::vector<LaneRow> input_rows_;
  std::vector<LaneRow> output_rows_;
  AlignedBytes scratch_;
  LaneStrip strip_;
};

Worker::Worker(const LaneTasks& tasks)
    : tasks_(tasks),
      conv_(tasks.conv()),
      element_size_(OutputSize(conv_.plan.type)),
      input_rows_(conv_.window_rows * kLanes),
      output_rows_(conv_.output_rows * kLanes) {
  const ConvShape& shape = conv_.shape;
  const OutputPlan& plan = conv_.plan;
  strip_.group_channels = static_cast<int>(shape.in_channels / shape.groups);
  strip_.kernel_width = shape.kernel[2];
  strip_.stride = shape.stride[2];
  strip_.padding = shape.padding[2];
  strip_.dilation = shape.dilation[2];
  strip_.input_width = conv_.size[2];
  strip_.output_width = tasks.output()[2];
  strip_.input_pixel = shape.in_channels;
  strip_.output_pixel = shape.out_channels * element_size_;
  strip_.kernel_rows = shape.kernel[0] * shape.kernel[1];
  strip_.input = input_rows_.data();
  strip_.output = output_rows_.data();
  strip_.saturates = conv_.saturates;
  strip_.zero_point = static_cast<uint8_t>(plan.activation_zero_point);
  strip_.start = buffers_.start;
  strip_.addend = buffers_.addend;
  strip_.multiplier = buffers_.multiplier;
  strip_.weight_zero_points =
      plan.weight_zero_points.empty() ? nullptr : buffers_.weight_zero_points;
  strip_.addend_factor = plan.addend_factor;
  strip_.type = plan.type;
  strip_.bytes = ViewOutput(plan, 0).bytes;
  strip_.min = plan.min;
  strip_.max = plan.max;
  std::memset(buffers_.padding, strip_.zero_point, sizeof(buffers_.padding));

  const int64_t reach = (strip_.kernel_width - 1) * strip_.dilation;
  const int64_t columns =
      std::max<int64_t>(kScratchBytes / conv_.column_bytes - reach, 0);
  strip_.outputs_at_once = std::min(
      std::max<int64_t>(columns / strip_.stride, 16), strip_.output_width);
  const int64_t columns_at_once =
      (strip_.outputs_at_once - 1) * strip_.stride + reach + 1;
  scratch_ = AllocateBytes(columns_at_once * conv_.column_bytes);
  strip_.scratch = reinterpret_cast<uint8_t*>(scratch_.get());
}

void Worker::SetBlock(int64_t index) {
  if (index == block_) {
    return;
  }
  block_ = index;
  const LaneBlock& block = conv_.blocks[index];
  const OutputPlan& plan = conv_.plan;
  strip_.contiguous = block.contiguous;
  strip_.lane_channels = block.lane_channels;
  strip_.weights = conv_.weights(index);
  CopyToLanes(plan.start, block, buffers_.start);
  CopyToLanes(plan.addend, block, buffers_.addend);
  CopyToLanes(plan.multiplier, block, buffers_.multiplier);
  if (strip_.weight_zero_points != nullptr) {
    CopyToLanes(plan.weight_zero_points, block, buffers_.weight_zero_points);
  }
}

void Worker::SetRows(int64_t image, int64_t pass, int64_t lane) {
  const ConvShape& shape = conv_.shape;
  const Dims& size = conv_.size;
  const Dims& output = tasks_.output();
  const bool exists = pass < tasks_.Passes();
  const int64_t depth = tasks_.DepthOf(pass);
  const int64_t row = tasks_.RowOf(pass);
  const int64_t channel = conv_.blocks[block_].first_channel[lane];
  for (int64_t i = 0; i < conv_.output_rows; ++i) {
    LaneRow& to = output_rows_[i * kLanes + lane];
    to = {buffers_.waste, 0};
    if (exists && row + i < output[1]) {
      const int64_t pixel =
          ((image * output[0] + depth) * output[1] + row + i) * output[2];
      to.base = static_cast<uint8_t*>(conv_.out) +
                (pixel * shape.out_channels + channel) * element_size_;
      to.mask = -1;
    }
  }
  const int64_t rows = strip_.kernel_rows + conv_.output_rows - 1;
  for (int64_t i = 0; i < conv_.window_rows; ++i) {
    LaneRow& from = input_rows_[i * kLanes + lane];
    from = {buffers_.padding, 0};
    // Rows of one depth follow each other, beyond the kernel's height, too:
    // only then there are several rows of outputs.
    const int64_t kernel_depth =
        conv_.output_rows > 1 ? 0 : i / shape.kernel[1];
    const int64_t kernel_row = i - kernel_depth * shape.kernel[1];
    const int64_t z = depth * shape.stride[0] - shape.padding[0] +
                      kernel_depth * shape.dilation[0];
    const int64_t y = row * shape.stride[1] - shape.padding[1] +
                      kernel_row * shape.dilation[1];
    if (exists && i < rows && z >= 0 && z < size[0] && y >= 0 && y < size[1]) {
      const int64_t pixel = ((image * size[0] + z) * size[1] + y) * size[2];
      // Rows are the same to kernels, read or written: they only read these.
      from.base = const_cast<uint8_t*>(conv_.input) +
                  pixel * shape.in_channels + channel;
      from.mask = -1;
    }
  }
}

void Worker::Run(void (*kernel)(const LaneStrip& strip), int64_t image,
                 int64_t task) {
  SetBlock(tasks_.BlockOf(task));
  const LaneBlock& block = conv_.blocks[block_];
  const int64_t pass = tasks_.PassOf(task);
  strip_.output_rows = conv_.output_rows;
  if (block.contiguous) {
    SetRows(image, pass, 0);
    // The last row may be alone.
    strip_.output_rows = static_cast<int>(std::min<int64_t>(
        conv_.output_rows, tasks_.output()[1] - tasks_.RowOf(pass)));
  } else {
    for (int lane = 0; lane < kLanes; ++lane) {
      SetRows(image, pass + lane / block.units, lane);
    }
  }
  kernel(strip_);
}

}  // namespace

void ConvLanes(const LaneConv& conv, void (*kernel)(const LaneStrip& strip),
               Parallel parallel) {
  const LaneTasks tasks(conv);
  const Dims& output = tasks.output();
  if (output[0] <= 0 || output[1] <= 0 || output[2] <= 0) {
    return;
  }
  const int64_t count = tasks.Count();
  const int64_t grain =
      (kProductsOfThread + tasks.Products() - 1) / tasks.Products();
  parallel(conv.batch * count, grain, [&](int64_t begin, int64_t end) {
    Worker worker(tasks);
    for (int64_t i = begin; i < end; ++i) {
      worker.Run(kernel, i / count, i % count);
    }
  });
}

}  // namespace ns::kernels
