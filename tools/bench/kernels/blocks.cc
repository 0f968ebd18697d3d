#include "tools/bench/kernels/blocks.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tools/bench/kernels/averages.h"

namespace ns::bench {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double SecondsOfCalls(const Contender& contender, int64_t calls) {
  const Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < calls; ++i) {
    contender.run();
  }
  return SecondsSince(start) / static_cast<double>(calls);
}

// How a contender's time is divided.
struct Plan {
  int64_t calls;   // in a block
  int64_t blocks;  // among the rounds
};

// Calls it, until it is known how long a call takes.
Plan PlanBlocks(const Contender& contender, const BlockOptions& options) {
  const double block = options.seconds / options.rounds;
  contender.run();
  int64_t calls = 1;
  double each = SecondsOfCalls(contender, calls);
  // A few calls of a microsecond tell little.
  while (each * static_cast<double>(calls) < block / 4) {
    calls *= 4;
    each = SecondsOfCalls(contender, calls);
  }
  constexpr int64_t kLeastBlocks = 2;
  const int64_t rounds = options.rounds;
  return {std::max<int64_t>(1, std::llround(block / each)),
          std::clamp<int64_t>(std::llround(options.seconds / (2 * each)),
                              std::min(kLeastBlocks, rounds), rounds)};
}

double WarmBlock(const Contender& contender, int64_t calls) {
  contender.run();
  return SecondsOfCalls(contender, calls);
}

double ColdBlock(const Contender& contender,
                 const std::function<void()>& before_call) {
  // Which cache, or none, the contender's memory goes to when it leaves the
  // nearer ones depends on how often it came back: it settles.
  constexpr int kSettlingCalls = 5;
  for (int i = 0; i < kSettlingCalls; ++i) {
    before_call();
    contender.run();
  }
  std::vector<double> calls(3);
  for (double& call : calls) {
    before_call();
    call = SecondsOfCalls(contender, 1);
  }
  return Median(std::move(calls));
}

// Whether round `round` of `rounds` is one of `blocks`, spread evenly.
bool IsIn(int64_t round, int64_t blocks, int64_t rounds) {
  return (round + 1) * blocks / rounds > round * blocks / rounds;
}

}  // namespace

double Timing::Seconds() const {
  return *std::min_element(rounds.begin(), rounds.end());
}

std::vector<Timing> RunInBlocks(const std::vector<Contender>& contenders,
                                const BlockOptions& options) {
  std::vector<Plan> plans;
  plans.reserve(contenders.size());
  for (const Contender& contender : contenders) {
    plans.push_back(PlanBlocks(contender, options));
  }
  std::vector<Timing> timings(contenders.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (size_t i = 0; i < contenders.size(); ++i) {
      if (IsIn(round, plans[i].blocks, options.rounds)) {
        timings[i].rounds.push_back(
            options.before_call != nullptr
                ? ColdBlock(contenders[i], options.before_call)
                : WarmBlock(contenders[i], plans[i].calls));
      }
    }
  }
  return timings;
}

double SpeedRatio(const Timing& ours, const Timing& peer) {
  return peer.Seconds() / ours.Seconds();
}

}  // namespace ns::bench
