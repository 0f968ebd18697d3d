#include "ns/batches/npy_header.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ns/batches/fit_value.h"

namespace ns {
namespace {

constexpr size_t kMostDimensions = 64;
// What the sizes other than zero and the bytes of an element may multiply to.
constexpr int64_t kMostBytes = std::numeric_limits<int64_t>::max() / 2;

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(OneLine(std::string(what)));
}

absl::Status BadHeader(absl::string_view what) {
  return Bad(absl::StrCat("has a damaged .npy header, ", what,
                          "; write it with numpy.save"));
}

struct NpyType {
  const char* name;
  c10::ScalarType dtype;
  int64_t bytes;
  bool widen;
};

// By the letters of NumPy's type strings behind the byte order.
constexpr NpyType kTypes[] = {
    {"b1", c10::kByte, 1, false},   {"i1", c10::kChar, 1, false},
    {"u1", c10::kByte, 1, false},   {"i2", c10::kShort, 2, false},
    {"u2", c10::kShort, 2, true},   {"f2", c10::kHalf, 2, false},
    {"i4", c10::kInt, 4, false},    {"u4", c10::kInt, 4, true},
    {"f4", c10::kFloat, 4, false},  {"i8", c10::kLong, 8, false},
    {"f8", c10::kDouble, 8, false},
};

// Sets the type of the elements.
absl::Status SetType(const std::string& descr, NpyHeader& header) {
  header.descr = descr;
  absl::string_view name = descr;
  if (absl::StrContains(name, 'O')) {
    return Bad(
        "holds Python objects, which are pickled and not read; save an array "
        "of numbers");
  }
  const char order = name.empty() ? '\0' : name.front();
  if (order == '<' || order == '>' || order == '|' || order == '=') {
    name.remove_prefix(1);
  }
  for (const NpyType& type : kTypes) {
    if (name == type.name) {
      if (order == '>' && type.bytes > 1) {
        return Bad(absl::StrCat("holds big-endian numbers (", descr,
                                "); save array.astype('<", name, "')"));
      }
      header.dtype = type.dtype;
      header.element_bytes = type.bytes;
      header.widen = type.widen;
      return absl::OkStatus();
    }
  }
  return Bad(absl::StrCat("holds elements of type '", descr,
                          "'; save numbers, as array.astype('float32')"));
}

// Reads a dict of Python in the form that NumPy writes.
class HeaderParser {
 public:
  explicit HeaderParser(absl::string_view text) : left_(text) {}

  absl::StatusOr<NpyHeader> Parse() {
    if (!Take("{")) {
      return BadHeader("which is no dict");
    }
    while (!Take("}")) {
      NS_RETURN_IF_ERROR(ParseEntry());
      if (!Take(",") && !Peek("}")) {
        return BadHeader("whose dict does not end");
      }
    }
    SkipSpace();
    if (!left_.empty()) {
      return BadHeader("with more than a dict");
    }
    if (!descr_ || !fortran_order_ || !shape_) {
      return BadHeader("without descr, fortran_order or shape");
    }
    NpyHeader header;
    NS_RETURN_IF_ERROR(SetType(*descr_, header));
    header.fortran_order = *fortran_order_;
    header.shape = *shape_;
    NS_RETURN_IF_ERROR(CheckSize(header));
    return header;
  }

 private:
  void SkipSpace() { left_ = absl::StripLeadingAsciiWhitespace(left_); }

  bool Peek(absl::string_view token) {
    SkipSpace();
    return absl::StartsWith(left_, token);
  }
  bool Take(absl::string_view token) {
    SkipSpace();
    return absl::ConsumePrefix(&left_, token);
  }

  // A text in quotes, without escapes.
  std::optional<std::string> TakeText() {
    SkipSpace();
    if (left_.empty() || (left_[0] != '\'' && left_[0] != '"')) {
      return std::nullopt;
    }
    const size_t end = left_.find(left_[0], 1);
    if (end == absl::string_view::npos) {
      return std::nullopt;
    }
    std::string text(left_.substr(1, end - 1));
    left_.remove_prefix(end + 1);
    return absl::StrContains(text, '\\') ? std::nullopt
                                         : std::optional(std::move(text));
  }

  absl::Status ParseEntry() {
    const std::optional<std::string> key = TakeText();
    if (!key || !Take(":")) {
      return BadHeader("whose keys are no texts");
    }
    if (*key == "descr" && !descr_) {
      descr_ = TakeText();
      // Records have a list of types.
      return descr_ ? absl::OkStatus()
                    : Bad("holds records or no type; save an array of numbers");
    }
    if (*key == "fortran_order" && !fortran_order_) {
      const bool is_true = Take("True");
      if (!is_true && !Take("False")) {
        return BadHeader("whose fortran_order is neither True nor False");
      }
      fortran_order_ = is_true;
      return absl::OkStatus();
    }
    if (*key == "shape" && !shape_) {
      return ParseShape();
    }
    return BadHeader(absl::StrCat("with another or a second key '", *key, "'"));
  }

  absl::Status ParseShape() {
    if (!Take("(")) {
      return BadHeader("whose shape is no tuple");
    }
    std::vector<int64_t> shape;
    while (!Take(")")) {
      SkipSpace();
      size_t length = 0;
      while (length < left_.size() &&
             (absl::ascii_isdigit(left_[length]) || left_[length] == '-')) {
        ++length;
      }
      int64_t size = 0;
      if (!absl::SimpleAtoi(left_.substr(0, length), &size) || size < 0) {
        return BadHeader(absl::StrCat(
            "with the size '", left_.substr(0, std::max<size_t>(length, 1)),
            "' in its shape"));
      }
      left_.remove_prefix(length);
      shape.push_back(size);
      // A tuple of one has a comma, which tells it from a number.
      const bool comma = Take(",");
      if (!comma && (shape.size() == 1 || !Peek(")"))) {
        return BadHeader("whose shape is no tuple");
      }
    }
    shape_ = std::move(shape);
    return absl::OkStatus();
  }

  static absl::Status CheckSize(const NpyHeader& header) {
    if (header.shape.size() > kMostDimensions) {
      return BadHeader(
          absl::StrCat("with ", header.shape.size(), " dimensions"));
    }
    int64_t bytes = header.element_bytes;
    for (const int64_t size : header.shape) {
      if (size > 0 && bytes > kMostBytes / size) {
        return BadHeader("whose shape is larger than any memory");
      }
      bytes *= size > 0 ? size : 1;
    }
    return absl::OkStatus();
  }

  absl::string_view left_;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<int64_t>> shape_;
};

// `count` bytes of a little-endian number.
size_t NumberAt(absl::string_view bytes, size_t begin, size_t count) {
  size_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    number |= static_cast<size_t>(static_cast<unsigned char>(bytes[begin + i]))
              << (8 * i);
  }
  return number;
}

}  // namespace

int64_t NpyHeader::DataBytes() const {
  int64_t bytes = element_bytes;
  for (const int64_t size : shape) {
    bytes *= size;
  }
  return bytes;
}

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, kNpyMagic)) {
    return Bad("is no .npy file; write it with numpy.save");
  }
  // Two bytes of the version, and the length of the dict in two or four.
  const size_t version_at = kNpyMagic.size();
  if (bytes.size() < version_at + 2) {
    return Bad("is cut off in its header");
  }
  const size_t version = NumberAt(bytes, version_at, 1);
  if (version < 1 || version > 3 || bytes[version_at + 1] != '\0') {
    return Bad(absl::StrCat("is of version ", version, ".",
                            NumberAt(bytes, version_at + 1, 1),
                            " of the .npy format; 1.0 to 3.0 are read"));
  }
  const size_t width = version == 1 ? 2 : 4;
  const size_t start = version_at + 2 + width;
  if (bytes.size() < start) {
    return Bad("is cut off in its header");
  }
  const size_t length = NumberAt(bytes, version_at + 2, width);
  if (length > kMostNpyHeaderBytes - start) {
    return Bad(absl::StrCat("has a .npy header of ", length,
                            " bytes; numpy.save writes no such headers for "
                            "arrays of numbers"));
  }
  if (bytes.size() - start < length) {
    return Bad("is cut off in its header");
  }
  NS_ASSIGN_OR_RETURN(NpyHeader header,
                      HeaderParser(bytes.substr(start, length)).Parse());
  header.data_offset = static_cast<int64_t>(start + length);
  return header;
}

}  // namespace ns
