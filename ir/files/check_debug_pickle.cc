#include "ir/files/check_debug_pickle.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "ir/base/status.h"
#include "ir/files/pickle.h"
#include "llvm/ADT/DenseMap.h"

namespace ns {
namespace {

using Kind = PickleValue::Kind;
using Items = std::vector<std::shared_ptr<const PickleValue>>;

// Marks the format in which sources are lists of indices into a table.
constexpr char kWithTable[] = "FORMAT_WITH_STRING_TABLE";

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(what);
}

bool IsTuple(const PickleValue& value, size_t size) {
  return value.kind == Kind::kTuple && value.items.size() == size;
}

// Returns the elements of a list of ints, which LibTorch writes inside the call
// that gives it its type; null for other values.
const Items* IntsOf(const PickleValue& value) {
  if (value.kind == Kind::kCall &&
      value.items[0]->text == "torch.jit._pickle.build_intlist" &&
      IsTuple(*value.items[1], 1)) {
    return IntsOf(*value.items[1]->items[0]);
  }
  if (value.kind != Kind::kList) {
    return nullptr;
  }
  for (const auto& item : value.items) {
    if (item->kind != Kind::kInt) {
      return nullptr;
    }
  }
  return &value.items;
}

class Checker {
 public:
  absl::Status Check(const PickleValue& root) {
    if (root.kind != Kind::kTuple || root.items.empty()) {
      return Bad("the source ranges are not a tuple");
    }
    const PickleValue& first = *root.items[0];
    if (first.kind != Kind::kString || first.text != kWithTable) {
      return CheckRanges(root);
    }
    if (root.items.size() != 3 || root.items[1]->kind != Kind::kTuple) {
      return Bad("the source ranges have no table of texts");
    }
    for (const auto& text : root.items[1]->items) {
      if (text->kind != Kind::kString) {
        return Bad("the table of texts holds values that are not texts");
      }
    }
    texts_ = &root.items[1]->items;
    return CheckRanges(*root.items[2]);
  }

 private:
  // Checks ((offset, (source, start, end), ...), ...).
  absl::Status CheckRanges(const PickleValue& ranges) {
    if (ranges.kind != Kind::kTuple) {
      return Bad("the source ranges are not a tuple");
    }
    for (const auto& row : ranges.items) {
      if (row->kind != Kind::kTuple || row->items.size() < 2 ||
          row->items[0]->kind != Kind::kInt || !IsTuple(*row->items[1], 3)) {
        return Bad("a source range is incomplete");
      }
      const Items& range = row->items[1]->items;
      if (range[1]->kind != Kind::kInt || range[2]->kind != Kind::kInt) {
        return Bad("a source range has no start or no end");
      }
      NS_ASSIGN_OR_RETURN(const int64_t size, SizeOf(*range[0]));
      const int64_t start = range[1]->integer;
      const int64_t end = range[2]->integer;
      // LibTorch gives nodes that no line made the first character of a text
      // that is empty.
      if (start < 0 || end < start || end > std::max<int64_t>(size, 1)) {
        return Bad("a source range is outside its text");
      }
    }
    return absl::OkStatus();
  }

  // Checks a source, (text, name of the file, first line), once, and returns
  // how many bytes its text has.
  absl::StatusOr<int64_t> SizeOf(const PickleValue& source) {
    const auto known = sizes_.find(&source);
    if (known != sizes_.end()) {
      return known->second;
    }
    if (!IsTuple(source, 3) || source.items[2]->kind != Kind::kInt) {
      return Bad("the source of a range is incomplete");
    }
    NS_ASSIGN_OR_RETURN(const int64_t size, texts_ == nullptr || texts_->empty()
                                                ? SizeOfText(source.items)
                                                : SizeOfPieces(source.items));
    sizes_.try_emplace(&source, size);
    return size;
  }

  absl::StatusOr<int64_t> SizeOfText(const Items& source) const {
    if (source[0]->kind != Kind::kString ||
        (source[1]->kind != Kind::kString && source[1]->kind != Kind::kNone)) {
      return Bad("the source of a range has no text");
    }
    return static_cast<int64_t>(source[0]->text.size());
  }

  absl::StatusOr<int64_t> SizeOfPieces(const Items& source) const {
    const Items* pieces = IntsOf(*source[0]);
    if (pieces == nullptr || !IsTextIndex(*source[1])) {
      return Bad("the source of a range is not in the table of texts");
    }
    int64_t size = 0;
    for (const auto& piece : *pieces) {
      if (!IsTextIndex(*piece)) {
        return Bad("the source of a range is not in the table of texts");
      }
      size += static_cast<int64_t>((*texts_)[piece->integer]->text.size());
    }
    return size;
  }

  bool IsTextIndex(const PickleValue& value) const {
    return value.kind == Kind::kInt && value.integer >= 0 &&
           value.integer < static_cast<int64_t>(texts_->size());
  }

  // Null where the format has no table.
  const Items* texts_ = nullptr;
  // The sizes of the sources that were checked.
  llvm::DenseMap<const PickleValue*, int64_t> sizes_;
};

}  // namespace

absl::Status CheckDebugPickle(absl::string_view content) {
  PickleOptions options;
  options.keep_state = true;
  options.for_libtorch = true;
  NS_ASSIGN_OR_RETURN(const auto root, ParsePickle(content, options));
  return Checker().Check(*root);
}

}  // namespace ns
