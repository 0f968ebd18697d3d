#include "ns/report/table/text_table.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

constexpr size_t kShortestText = 10;
// A cell that is wider is shortened even where there is room: nobody reads it.
constexpr size_t kWidestText = 200;
// Names are the last to be shortened: they stay this much wider than ops.
constexpr size_t kNameBonus = 8;

bool StartsCodePoint(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// Returns the terminal columns that `text` takes, one for each code point.
size_t Width(absl::string_view text) {
  return std::count_if(text.begin(), text.end(), StartsCodePoint);
}

size_t Width(const Column& column) {
  size_t width = 0;
  for (const Cell& cell : column.cells) {
    width = std::max(width, Width(cell.text));
  }
  return width;
}

// Returns all but the first `count` code points.
absl::string_view Skip(absl::string_view text, size_t count) {
  size_t i = 0;
  while (i < text.size() && (count > 0 || !StartsCodePoint(text[i]))) {
    count -= StartsCodePoint(text[i++]) ? 1 : 0;
  }
  return text.substr(i);
}

// Shortens `text` to `width` columns: its first `head` code points, an
// ellipsis, and its end.
std::string Shorten(absl::string_view text, size_t width, size_t head) {
  const size_t length = Width(text);
  if (length <= width) {
    return std::string(text);
  }
  const size_t head_bytes = text.size() - Skip(text, head).size();
  return absl::StrCat(text.substr(0, head_bytes), "…",
                      Skip(text, length - (width - 1 - head)));
}

// Finds out how far the texts of a column can be shortened.
class DistinctTexts {
 public:
  explicit DistinctTexts(const Column& column) {
    for (const Cell& cell : column.cells) {
      texts_.insert(cell.text);
    }
  }

  // Returns the `head` nearest to the middle for which texts that differ still
  // differ when shortened to `width`.
  std::optional<size_t> HeadFor(size_t width) {
    for (size_t i = 0; i < width; ++i) {
      const size_t head = width / 2 + i / 2 - (i % 2 == 0 ? 0 : i);
      if (AreDistinct(width, head)) {
        return head;
      }
    }
    return std::nullopt;
  }

 private:
  // What two texts have in common, in code points.
  struct CommonEnds {
    size_t head = 0;
    size_t tail = 0;
    // The length of the shorter text.
    size_t shorter = 0;
  };

  static CommonEnds Compare(absl::string_view a, absl::string_view b) {
    CommonEnds ends;
    ends.shorter = std::min(Width(a), Width(b));
    const auto [in_a, in_b] =
        std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    ends.head = Width(a.substr(0, in_a - a.begin()));
    // One that they have only the first bytes of was counted.
    if (ends.head > 0 && ((in_a != a.end() && !StartsCodePoint(*in_a)) ||
                          (in_b != b.end() && !StartsCodePoint(*in_b)))) {
      --ends.head;
    }
    const auto tail = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    ends.tail = Width(a.substr(a.rend() - tail.first));
    return ends;
  }

  bool AreDistinct(size_t width, size_t head) {
    // Texts that were equal before mostly are again: this is fast.
    const size_t tail = width - 1 - head;
    if (absl::c_any_of(equal_, [&](const CommonEnds& ends) {
          return ends.shorter > width && ends.head >= head && ends.tail >= tail;
        })) {
      return false;
    }
    absl::flat_hash_map<std::string, absl::string_view> shortened;
    for (const absl::string_view text : texts_) {
      const auto [other, is_new] =
          shortened.emplace(Shorten(text, width, head), text);
      if (!is_new) {
        equal_.push_back(Compare(text, other->second));
        return false;
      }
    }
    return true;
  }

  absl::flat_hash_set<absl::string_view> texts_;
  // Of pairs of texts that were once equal when shortened.
  std::vector<CommonEnds> equal_;
};

size_t NaturalWidth(const Column& column) {
  return std::min(Width(column), kWidestText);
}

size_t LeastWidth(const Column& column) {
  const size_t natural = NaturalWidth(column);
  size_t width = column.shrink == Shrink::kNever ? natural : kShortestText;
  DistinctTexts texts(column);
  while (width < natural && !texts.HeadFor(width).has_value()) {
    ++width;
  }
  return std::min(width, natural);
}

}  // namespace

size_t Width(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
}

std::vector<size_t> FitWidths(const std::vector<Column>& columns,
                              size_t limit) {
  std::vector<size_t> widths, least;
  for (const Column& column : columns) {
    widths.push_back(NaturalWidth(column));
    least.push_back(LeastWidth(column));
  }
  while (limit > 0 && Width(widths) > limit) {
    std::optional<size_t> widest;
    size_t most = 0;
    for (size_t i = 0; i < widths.size(); ++i) {
      const bool first = columns[i].shrink == Shrink::kFirst;
      const size_t claim = widths[i] + (first ? kNameBonus : 0);
      if (widths[i] > least[i] && claim > most) {
        widest = i;
        most = claim;
      }
    }
    if (!widest.has_value()) {
      break;
    }
    --widths[*widest];
  }
  return widths;
}

std::string Render(const std::vector<Column>& columns,
                   const std::vector<size_t>& widths, bool color) {
  std::vector<size_t> heads;
  for (size_t i = 0; i < columns.size(); ++i) {
    heads.push_back(DistinctTexts(columns[i]).HeadFor(widths[i]).value_or(0));
  }
  std::string table;
  for (size_t row = 0; row < columns[0].cells.size(); ++row) {
    // Blanks are due before the next text, so that no line ends in them.
    size_t blanks = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
      const Cell& cell = columns[i].cells[row];
      const std::string text = Shorten(cell.text, widths[i], heads[i]);
      const size_t padding = widths[i] - Width(text);
      blanks += columns[i].align_right ? padding : 0;
      if (!text.empty()) {
        const bool paint = color && !cell.color.empty();
        absl::StrAppend(&table, std::string(blanks, ' '),
                        paint ? cell.color : "", text, paint ? "\x1b[0m" : "");
        blanks = 0;
      }
      blanks += 2 + (columns[i].align_right ? 0 : padding);
    }
    table += '\n';
    if (row == 1) {
      for (size_t i = Width(widths); i > 0; --i) {
        table += "─";
      }
      table += '\n';
    }
  }
  return table;
}

}  // namespace ns
