// Shows on standard error how far a long run is.
#ifndef TOOLS_COMMAND_LINE_PROGRESS_BAR_H_
#define TOOLS_COMMAND_LINE_PROGRESS_BAR_H_

#include <cstdint>
#include <string>

namespace ns {

// A bar that is drawn only where standard error is a terminal, and erases
// itself at the end. A quiet one shows nothing, nor does its Print.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Shows that `done` of `total` batches are done.
  void Update(int64_t done, int64_t total);

  // Prints a line above the bar, also where standard error is no terminal. The
  // bar comes back with the next Update.
  void Print(const std::string& line);

  // Erases the bar until the next Update. To be called before other text goes
  // to the terminal.
  void Erase();

 private:
  const bool quiet_;
  const bool draws_;
  bool drawn_ = false;
};

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_PROGRESS_BAR_H_
