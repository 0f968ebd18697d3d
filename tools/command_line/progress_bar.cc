#include "tools/command_line/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace ns {
namespace {

constexpr int kWidth = 30;

}  // namespace

ProgressBar::ProgressBar(bool quiet)
    : quiet_(quiet), draws_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() { Erase(); }

void ProgressBar::Erase() {
  if (drawn_) {
    std::fputs("\r\x1b[K", stderr);
    drawn_ = false;
  }
}

void ProgressBar::Print(const std::string& line) {
  if (!quiet_) {
    Erase();
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

void ProgressBar::Update(int64_t done, int64_t total) {
  if (!draws_ || total <= 0) {
    return;
  }
  drawn_ = true;
  const int filled = static_cast<int>(kWidth * done / total);
  std::fprintf(stderr, "\r[%s%s] batch %lld of %lld",
               std::string(filled, '#').c_str(),
               std::string(kWidth - filled, '.').c_str(),
               static_cast<long long>(done), static_cast<long long>(total));
  std::fflush(stderr);
}

}  // namespace ns
