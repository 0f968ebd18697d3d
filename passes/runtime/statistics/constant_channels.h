// Counts channels that quantization has made constant.
#ifndef PASSES_RUNTIME_STATISTICS_CONSTANT_CHANNELS_H_
#define PASSES_RUNTIME_STATISTICS_CONSTANT_CHANNELS_H_

#include <cstdint>
#include <vector>

#include "ir/base/byte_stream.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace at {
class Tensor;
}  // namespace at

namespace ns {

// Which channels of y have had one value in all pairs so far, where those of x
// had several. Looks only at channels with less than 3 dB that have not varied
// yet: others are not constant, or lose nothing by it.
class ConstantChannels {
 public:
  // Adds a pair of dense tensors of one shape, which has `channels` along
  // dimension `dim`, with these sums. Nothing without channels.
  void Add(const at::Tensor& x, const at::Tensor& y, int64_t dim,
           const std::vector<ChannelSums>& channels);

  // Adds what was seen of pairs with as many channels.
  void Merge(const ConstantChannels& other);

  // The number of channels with several values in x, and one in y.
  int64_t Count() const;

  // Load fails the reader for bytes that Save cannot have written.
  void Save(ByteWriter& writer) const;
  static ConstantChannels Load(ByteReader& reader);

 private:
  // The extremes of a channel; none in a channel that `varies`, in y.
  struct Range {
    bool varies = false;
    bool is_seen = false;
    float min_x = 0;
    float max_x = 0;
    float min_y = 0;
    float max_y = 0;
  };

  static void Merge(const Range& from, Range& into);

  std::vector<Range> ranges_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_CONSTANT_CHANNELS_H_
