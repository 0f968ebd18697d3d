#include "ir/text/code_tokens.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace ns {
namespace {

using Kind = CodeToken::Kind;

constexpr absl::string_view kTypeComment = "# type:";

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Returns how many bytes the string literal takes that `rest` starts with, or 0
// where none does.
size_t StringSize(absl::string_view rest) {
  const char quote = rest.front();
  if (quote != '"' && quote != '\'') {
    return 0;
  }
  const char three[] = {quote, quote, quote};
  const absl::string_view mark(
      three, rest.substr(0, 3) == absl::string_view(three, 3) ? 3 : 1);
  for (size_t end = mark.size(); end < rest.size(); ++end) {
    if (absl::StartsWith(rest.substr(end), mark)) {
      return end + mark.size();
    }
    if (rest[end] == '\n' && mark.size() == 1) {
      return 0;
    }
    end += rest[end] == '\\' ? 1 : 0;
  }
  return 0;
}

class Splitter {
 public:
  explicit Splitter(absl::string_view code) : code_(code) {}

  std::vector<CodeToken> Split() {
    StartLine();
    while (position_ < code_.size()) {
      Step();
    }
    EndLine();
    for (; indents_.size() > 1; indents_.pop_back()) {
      Add(Kind::kDedent, 0);
    }
    return std::move(tokens_);
  }

 private:
  absl::string_view Rest() const { return code_.substr(position_); }

  // Adds a token of the next `size` bytes.
  void Add(Kind kind, size_t size) {
    tokens_.push_back({kind, code_.substr(position_, size)});
    position_ += size;
  }

  void Step() {
    const char c = code_[position_];
    if (c == '\n') {
      ++position_;
      if (brackets_ == 0) {
        EndLine();
        StartLine();
      }
    } else if (IsBlank(c)) {
      ++position_;
    } else if (absl::StartsWith(Rest(), "\\\n")) {
      position_ += 2;
    } else if (c == '#') {
      SkipComment();
    } else if (IsWordCharacter(c)) {
      size_t size = 1;
      while (position_ + size < code_.size() &&
             IsWordCharacter(code_[position_ + size])) {
        ++size;
      }
      Add(Kind::kWord, size);
    } else if (const size_t size = StringSize(Rest()); size > 0) {
      Add(Kind::kString, size);
    } else {
      Add(Kind::kMark, 1);
      if (OpensBracket(tokens_.back())) {
        ++brackets_;
      } else if (ClosesBracket(tokens_.back()) && brackets_ > 0) {
        --brackets_;
      }
    }
  }

  void SkipComment() {
    if (absl::StartsWith(Rest(), kTypeComment)) {
      position_ += kTypeComment.size();
      return;
    }
    while (position_ < code_.size() && code_[position_] != '\n') {
      ++position_;
    }
  }

  // Adds the end of a line that had tokens.
  void EndLine() {
    if (!tokens_.empty() && tokens_.back().kind != Kind::kNewline &&
        tokens_.back().kind != Kind::kIndent &&
        tokens_.back().kind != Kind::kDedent) {
      Add(Kind::kNewline, 0);
    }
  }

  // Goes to the first token of the next line that has some, and adds what its
  // indentation says.
  void StartLine() {
    size_t indent = 0;
    for (; position_ < code_.size(); ++position_) {
      const char c = code_[position_];
      if (c == '\n') {
        indent = 0;
      } else if (IsBlank(c)) {
        ++indent;
      } else if (c == '#' && !absl::StartsWith(Rest(), kTypeComment)) {
        SkipComment();
        --position_;  // The loop goes on with the end of the line.
      } else {
        break;
      }
    }
    if (position_ >= code_.size()) {
      return;
    }
    if (indent > indents_.back()) {
      indents_.push_back(indent);
      Add(Kind::kIndent, 0);
    }
    for (; indent < indents_.back(); indents_.pop_back()) {
      Add(Kind::kDedent, 0);
    }
  }

  const absl::string_view code_;
  size_t position_ = 0;
  size_t brackets_ = 0;
  // The columns of the lines that enclose this one, the first of which is 0.
  std::vector<size_t> indents_ = {0};
  std::vector<CodeToken> tokens_;
};

}  // namespace

std::vector<CodeToken> CodeTokens(absl::string_view code) {
  return Splitter(code).Split();
}

}  // namespace ns
