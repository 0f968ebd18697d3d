// Shows on standard error how far a long run is.
#ifndef TOOLS_COMMAND_LINE_PROGRESS_BAR_H_
#define TOOLS_COMMAND_LINE_PROGRESS_BAR_H_

#include <cstdint>

namespace ns {

// A bar that is drawn on a terminal only, and erases itself at the end.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Shows that `done` of `total` batches are done.
  void Update(int64_t done, int64_t total);

 private:
  const bool draws_;
  bool drawn_ = false;
};

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_PROGRESS_BAR_H_
