// Times the nodes of a graph as it runs.
#ifndef PASSES_RUNTIME_LAP_TIMER_H_
#define PASSES_RUNTIME_LAP_TIMER_H_

#include <torch/custom_class.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns {

// A stopwatch with several slots. A call behind a node adds the time since the
// call before it to the slot of the node. Graphs call it as
// torch.classes.ns.LapTimer, with a method `lap(int slot) -> None`. It exists
// in one process and is not saved.
class LapTimer final : public torch::CustomClassHolder {
 public:
  explicit LapTimer(size_t slots) : microseconds_(slots) {}

  // Sets all slots to zero and begins.
  void Start() {
    microseconds_.assign(microseconds_.size(), 0);
    last_ = Clock::now();
  }

  // Throws for a slot that there is not.
  void Lap(int64_t slot) {
    const Clock::time_point now = Clock::now();
    microseconds_.at(static_cast<size_t>(slot)) +=
        std::chrono::duration<double, std::micro>(now - last_).count();
    // What the call itself takes is in no slot.
    last_ = Clock::now();
  }

  // Of each slot, since Start.
  const std::vector<double>& microseconds() const { return microseconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<double> microseconds_;
  Clock::time_point last_ = Clock::now();
};

using LapTimerPtr = c10::intrusive_ptr<LapTimer>;

}  // namespace ns

#endif  // PASSES_RUNTIME_LAP_TIMER_H_
