#include "passes/runtime/lap_timer.h"

#include <chrono>
#include <stdexcept>
#include <thread>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(LapTimerTest, AddsTheTimeSinceTheLastLapToItsSlot) {
  LapTimer timer(3);
  timer.Start();
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  timer.Lap(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  timer.Lap(0);
  timer.Lap(1);
  EXPECT_EQ(timer.microseconds()[2], 0);
  EXPECT_GE(timer.microseconds()[1], 3000);
  EXPECT_GE(timer.microseconds()[0], 1000);
  timer.Start();
  EXPECT_EQ(timer.microseconds()[1], 0);
}

TEST(LapTimerTest, RefusesSlotsThatThereAreNot) {
  LapTimer timer(1);
  EXPECT_THROW(timer.Lap(1), std::out_of_range);
}

}  // namespace
}  // namespace ns
