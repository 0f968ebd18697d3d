#include "tools/bench/kernels/blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace ns::bench {
namespace {

void Sleep(int microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

Contender Sleeper(char name, int microseconds, std::string& order) {
  return {std::string(1, name), [=, &order] {
            order += name;
            Sleep(microseconds);
          }};
}

TEST(BlocksTest, RunsContendersInTurn) {
  std::string order;
  BlockOptions options;
  options.seconds = 0.06;
  options.rounds = 3;
  const std::vector<Timing> timings = RunInBlocks(
      {Sleeper('a', 100, order), Sleeper('b', 100, order)}, options);
  // The first calls find out how long one takes.
  EXPECT_THAT(order, testing::MatchesRegex("a+b+a+b+a+b+a+b+"));
  ASSERT_EQ(timings.size(), 2);
  EXPECT_EQ(timings[0].rounds.size(), 3);
  EXPECT_GE(timings[0].Seconds(), 1e-4);
}

TEST(BlocksTest, LongCallsHaveFewerBlocks) {
  std::string order;
  BlockOptions options;
  options.seconds = 1e-4;
  options.rounds = 40;
  const std::vector<Timing> timings =
      RunInBlocks({Sleeper('a', 2000, order)}, options);
  EXPECT_EQ(timings[0].rounds.size(), 2);
  EXPECT_EQ(order, "aaaaaa");
}

TEST(BlocksTest, RepeatsShortCallsUntilABlockIsFull) {
  int calls = 0;
  BlockOptions options;
  options.seconds = 0.02;
  options.rounds = 2;
  const std::vector<Timing> timings = RunInBlocks({{"a",
                                                    [&] {
                                                      ++calls;
                                                      Sleep(100);
                                                    }}},
                                                  options);
  EXPECT_GT(calls, 20);
  EXPECT_GE(timings[0].Seconds(), 1e-4);
  EXPECT_LT(timings[0].Seconds(), 1e-2);
}

TEST(BlocksTest, TimesOnlyTheCallsWhenSomethingRunsBeforeEach) {
  std::string order;
  BlockOptions options;
  options.seconds = 1e-6;
  options.rounds = 1;
  options.before_call = [&] {
    order += 'e';
    Sleep(20000);
  };
  const std::vector<Timing> timings =
      RunInBlocks({{"a", [&] { order += 'a'; }}}, options);
  EXPECT_THAT(order, testing::EndsWith("aeaeaeaeaeaeaeaea"));
  EXPECT_EQ(timings[0].rounds.size(), 1);
  EXPECT_LT(timings[0].Seconds(), 1e-2);
}

TEST(BlocksTest, RatioIsOfTheFastestRounds) {
  // The machine was twice as slow in the second round, and the peer met
  // something in the last.
  const Timing ours = {{2, 4, 2}};
  const Timing peer = {{6, 12, 60}};
  EXPECT_EQ(SpeedRatio(ours, peer), 3);
  EXPECT_EQ(ours.Seconds(), 2);
}

}  // namespace
}  // namespace ns::bench
