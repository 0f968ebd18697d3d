#include "passes/matching/sequence_alignment.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace ns {
namespace {

// The work for a window is the square of its size, and the alignment advances
// by half of one.
constexpr int kWindow = 512;

// Finds a longest common subsequence of [a, a_end) and [b, b_end) by dynamic
// programming.
std::vector<std::pair<int, int>> AlignWindow(
    int a, int a_end, int b, int b_end,
    absl::FunctionRef<bool(int, int)> related) {
  const int rows = a_end - a;
  const int columns = b_end - b;
  // best[i][j] is the number of pairs that are possible from a+i and b+j on.
  const size_t width = static_cast<size_t>(columns) + 1;
  std::vector<int16_t> best((static_cast<size_t>(rows) + 1) * width, 0);
  std::vector<bool> match(best.size());
  const auto at = [&](int i, int j) -> int16_t& { return best[i * width + j]; };
  for (int i = rows - 1; i >= 0; --i) {
    for (int j = columns - 1; j >= 0; --j) {
      int16_t value = std::max(at(i + 1, j), at(i, j + 1));
      if (related(a + i, b + j)) {
        match[i * width + j] = true;
        value = std::max<int16_t>(value, at(i + 1, j + 1) + 1);
      }
      at(i, j) = value;
    }
  }
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0, j = 0; i < rows && j < columns;) {
    if (match[i * width + j] && at(i, j) == at(i + 1, j + 1) + 1) {
      pairs.emplace_back(a + i++, b + j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
  return pairs;
}

}  // namespace

std::vector<std::pair<int, int>> AlignSequences(
    int size_a, int size_b, absl::FunctionRef<bool(int, int)> related) {
  std::vector<std::pair<int, int>> pairs;
  int a = 0;
  int b = 0;
  while (a < size_a && b < size_b) {
    // The last window has all that is left of both: its work is still linear in
    // the longer one.
    const bool last = size_a - a <= kWindow || size_b - b <= kWindow;
    const int a_end = last ? size_a : a + kWindow;
    const int b_end = last ? size_b : b + kWindow;
    const auto window = AlignWindow(a, a_end, b, b_end, related);
    int next_a = last ? size_a : a + kWindow / 2;
    int next_b = last ? size_b : b + kWindow / 2;
    // Without pairs, what comes is probably what one side has in excess.
    const int excess_of_a = (size_a - a) - (size_b - b);
    if (!last && window.empty() && std::abs(excess_of_a) >= kWindow / 2) {
      (excess_of_a > 0 ? next_b : next_a) = excess_of_a > 0 ? b : a;
    }
    // Near the end of a window the alignment does not know what comes. So it
    // keeps the pairs of the first half, and goes on behind them.
    for (const auto& [i, j] : window) {
      if (i >= next_a || j >= next_b) {
        next_a = std::min(next_a, i);
        next_b = std::min(next_b, j);
        break;
      }
      pairs.emplace_back(i, j);
    }
    a = next_a;
    b = next_b;
  }
  return pairs;
}

std::vector<int> LongestRisingSubsequence(const std::vector<int>& values) {
  std::vector<int> tails;  // index of the smallest end of each length
  std::vector<int> previous(values.size(), -1);
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    const auto it = std::lower_bound(
        tails.begin(), tails.end(), values[i],
        [&](int index, int value) { return values[index] < value; });
    if (it != tails.begin()) {
      previous[i] = *(it - 1);
    }
    if (it == tails.end()) {
      tails.push_back(i);
    } else {
      *it = i;
    }
  }
  std::vector<int> sequence;
  for (int i = tails.empty() ? -1 : tails.back(); i >= 0; i = previous[i]) {
    sequence.push_back(i);
  }
  std::reverse(sequence.begin(), sequence.end());
  return sequence;
}

}  // namespace ns
