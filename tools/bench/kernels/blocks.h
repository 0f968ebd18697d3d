// Times that can be compared: contenders run in blocks, in turn, in one
// process.
//
// On a machine that others use, too, and whose clock drifts, all contenders are
// slowed alike, and after many rounds each has had a block at full speed.
// Within a block, a contender's weights stay in the cache. If contenders took
// turns call by call, big weights would evict each other.
#ifndef TOOLS_BENCH_KERNELS_BLOCKS_H_
#define TOOLS_BENCH_KERNELS_BLOCKS_H_

#include <functional>
#include <string>
#include <vector>

namespace ns::bench {

struct Contender {
  std::string name;
  std::function<void()> run;
};

struct BlockOptions {
  // For each contender, all rounds together.
  double seconds = 0.1;
  // Short blocks find the moments when nothing else runs on the processor. A
  // contender whose calls are so long that two do not fit in a block takes part
  // in fewer rounds, evenly spread, 2 at least.
  int rounds = 40;
  // Runs before each call, untimed, to empty the caches. May be null. When it
  // is given, calls are timed one by one, and the time of a round is the median
  // of three, after some untimed calls in which the caches settle.
  std::function<void()> before_call;
};

// Seconds of a call in each round that the contender took part in.
struct Timing {
  std::vector<double> rounds;

  // Of the fastest round.
  double Seconds() const;
};

// Of each contender, in their order. Each round of a contender starts with a
// call, or more, that is not timed.
std::vector<Timing> RunInBlocks(const std::vector<Contender>& contenders,
                                const BlockOptions& options);

// How many times as fast `ours` is as `peer`.
double SpeedRatio(const Timing& ours, const Timing& peer);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_BLOCKS_H_
