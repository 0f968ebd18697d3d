#include "ns/report/text_table.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

constexpr size_t kShortestText = 10;
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

// Returns the `head` nearest to the middle for which cells that differ still
// differ when shortened to `width`.
std::optional<size_t> DistinctHead(const Column& column, size_t width) {
  absl::flat_hash_set<absl::string_view> whole;
  for (const Cell& cell : column.cells) {
    whole.insert(cell.text);
  }
  for (size_t i = 0; i < width; ++i) {
    const size_t head = width / 2 + i / 2 - (i % 2 == 0 ? 0 : i);
    absl::flat_hash_set<std::string> shortened;
    for (const absl::string_view text : whole) {
      shortened.insert(Shorten(text, width, head));
    }
    if (shortened.size() == whole.size()) {
      return head;
    }
  }
  return std::nullopt;
}

size_t LeastWidth(const Column& column) {
  const size_t natural = Width(column);
  size_t width = column.shrink == Shrink::kNever ? natural : kShortestText;
  while (width < natural && !DistinctHead(column, width).has_value()) {
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
    widths.push_back(Width(column));
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
    heads.push_back(DistinctHead(columns[i], widths[i]).value_or(0));
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
