#include "ir/text/check_nesting.h"

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

using Kind = CodeToken::Kind;

// Far above what people write (Python stops at 100 blocks and 200 brackets),
// and far below what overflows a stack of 8 MB.
constexpr int64_t kMostLevels = 1000;

// Keywords that nest expressions.
constexpr absl::string_view kOperators[] = {"and", "else", "for",    "if", "in",
                                            "is",  "not",  "lambda", "or"};

// Bounds the depth of the syntax tree. An operator may take all that precedes
// it up to a comma, as in a sum, or all that follows, as a sign does: so each
// counts as a level until its element of a list ends.
class DepthBound {
 public:
  void Add(const CodeToken& token) {
    switch (token.kind) {
      case Kind::kIndent:
        branches_.push_back(0);
        return;
      case Kind::kDedent:
        total_ -= branches_.back();
        branches_.pop_back();
        return;
      case Kind::kNewline:
        EndLine();
        return;
      case Kind::kMark:
        AddMark(token);
        break;
      case Kind::kWord:
        AddWord(token);
        break;
      case Kind::kString:
        break;
    }
    starts_line_ = false;
  }

  int64_t levels() const {
    return total_ + static_cast<int64_t>(branches_.size());
  }

 private:
  void AddMark(const CodeToken& token) {
    if (IsMark(token, ',')) {
      total_ -= operators_.back();
      operators_.back() = 0;
      return;
    }
    if (ClosesBracket(token)) {
      // What is open counts in the enclosing element, so that a chain of calls
      // or indices counts as well.
      if (operators_.size() > 1) {
        total_ -= operators_.back();
        operators_.pop_back();
      }
      return;
    }
    AddOperator();
    if (OpensBracket(token)) {
      operators_.push_back(0);
    }
  }

  void AddWord(const CodeToken& token) {
    if (starts_line_ && token.text == "elif") {
      // LibTorch parses it as an `if` in an `else`.
      ++branches_.back();
      ++total_;
    } else if (starts_line_ && token.text != "else") {
      total_ -= branches_.back();
      branches_.back() = 0;
    }
    if (absl::c_linear_search(kOperators, token.text)) {
      AddOperator();
    }
  }

  void AddOperator() {
    ++operators_.back();
    ++total_;
  }

  void EndLine() {
    for (const int64_t count : operators_) {
      total_ -= count;
    }
    operators_ = {0};
    starts_line_ = true;
  }

  // The operators of each element that is open in this line, and the `elif`s of
  // each block; and the sum of both.
  std::vector<int64_t> operators_ = {0};
  std::vector<int64_t> branches_ = {0};
  int64_t total_ = 0;
  bool starts_line_ = true;
};

}  // namespace

absl::Status CheckNesting(absl::Span<const CodeToken> tokens) {
  DepthBound depth;
  for (const CodeToken& token : tokens) {
    depth.Add(token);
    if (depth.levels() > kMostLevels) {
      return absl::InvalidArgumentError(
          absl::StrCat("nests more than ", kMostLevels, " deep"));
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
