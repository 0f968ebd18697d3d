#include "passes/quantization/layers/python_call.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/source_line.h"

namespace ns {
namespace {

using Form = PythonCall::Form;

constexpr absl::string_view kModules[] = {"torch", "F", "nn", "functional"};

bool IsOpening(char c) { return c == '(' || c == '[' || c == '{'; }
bool IsClosing(char c) { return c == ')' || c == ']' || c == '}'; }

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// Whether `text` is one operand, such as "self.conv(x)[0]", with no operator
// outside of brackets.
bool IsOneOperand(absl::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += IsOpening(c) ? 1 : IsClosing(c) ? -1 : 0;
    const bool is_inside = depth > 0 || IsClosing(c);
    if (!is_inside && !IsNameCharacter(c) && c != '.' &&
        !absl::ascii_isspace(c)) {
      return false;
    }
  }
  return depth == 0 && !text.empty();
}

bool IsModule(absl::string_view owner) {
  const absl::string_view root = owner.substr(0, owner.find('.'));
  return absl::c_linear_search(kModules, root) &&
         absl::c_all_of(owner,
                        [](char c) { return IsNameCharacter(c) || c == '.'; });
}

// A traced model has the stack of Python calls as its text:
// "/src/net.py(11): forward".
bool IsStack(absl::string_view text) {
  const absl::string_view line = text.substr(0, text.find('\n'));
  return absl::StrContains(line, ".py(") && absl::StrContains(line, "): ");
}

// Returns the text of `range`. LibTorch ends the range of "self.conv(x).relu"
// one character too early: the name goes on behind it.
std::string WholeText(const torch::jit::SourceRange& range) {
  std::string text = range.text().str();
  const auto& source = range.source()->text_str();
  for (size_t i = range.end(); i < source.size(); ++i) {
    const std::string next = source.substr(i, 1).str();
    if (next.empty() || !IsNameCharacter(next[0])) {
      break;
    }
    text += next;
  }
  return text;
}

}  // namespace

PythonCall ParsePythonCall(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty() || IsStack(text)) {
    return {};
  }
  if (!IsOneOperand(text) || IsClosing(text.back())) {
    return {Form::kOperator, ""};
  }
  const size_t dot = text.rfind('.');
  if (dot == absl::string_view::npos) {
    return {Form::kFunction, std::string(text)};
  }
  const absl::string_view name =
      absl::StripAsciiWhitespace(text.substr(dot + 1));
  const absl::string_view owner =
      absl::StripAsciiWhitespace(text.substr(0, dot));
  if (!IsModule(owner)) {
    return {Form::kMethod, std::string(name)};
  }
  return {Form::kFunction,
          absl::StrCat(owner == "torch" ? "torch." : "F.", name)};
}

PythonCall PythonCallOf(const torch::jit::Node& node) {
  const std::optional<SourceLine> line = SourceLineOf(node);
  if (!line || IsLibraryFile(line->file)) {
    return {};
  }
  const auto text = CatchTorchErrors([&]() -> std::string {
    const auto original = node.sourceRange().findSourceRangeThatGenerated();
    return original ? WholeText(*original) : "";
  });
  return text.ok() ? ParsePythonCall(*text) : PythonCall();
}

}  // namespace ns
