#include "tests/testing/random_program.h"

#include <algorithm>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"

namespace ns {
namespace {

// Builds the source of a method `forward(self, x: Tensor)`. All tensors are 4 x
// 4.
class Program {
 public:
  Program(int seed, int alpha) : random_(seed), alpha_(alpha) {}

  std::string Source() {
    text_ = "def forward(self, x: Tensor) -> Tensor:\n    v0 = torch.neg(x)\n";
    AddLines(8, 1, 0);
    absl::StrAppend(&text_, "    return ", Newest(), "\n");
    return text_;
  }

 private:
  int Choose(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random_);
  }
  std::string Newest() const { return absl::StrCat("v", count_ - 1); }
  std::string Any() {
    return absl::StrCat("v", std::max(0, count_ - 1 - Choose(3)));
  }
  void Line(int indent, const std::string& line) {
    absl::StrAppend(&text_, std::string(4 * indent, ' '), line, "\n");
  }
  std::string New() { return absl::StrCat("v", count_++); }

  // Adds lines that define new values at `indent`; control flow nests at most
  // twice.
  void AddLines(int lines, int indent, int depth) {
    for (int i = 0; i < lines; ++i) {
      const std::string a = Any();
      const std::string b = Any();
      switch (Choose(depth < 2 ? 11 : 9)) {
        case 0:
          Line(indent, absl::StrCat("torch.relu_(", a, ")"));
          break;
        case 1:
          Line(indent, absl::StrCat(a, ".add_(", b, ", alpha=", alpha_, ")"));
          break;
        case 2:
          Assign(indent, absl::StrCat("torch.add(", a, ", ", b, ")"));
          break;
        case 3:
          Assign(indent, absl::StrCat("torch.mul(", a, ", ", a, ")"));
          break;
        case 4:
          Assign(indent, absl::StrCat("torch.cat([", a, ", ", b,
                                      "], dim=1).narrow(1, 2, 4)"));
          break;
        case 5:
          Assign(indent, absl::StrCat("torch.matmul(", a, ", other=", b, ")"));
          break;
        case 6:
          Assign(indent,
                 absl::StrCat("torch.stack([", a, ", ", b, "]).mean(0)"));
          break;
        case 7:
          Assign(indent, absl::StrCat(a, ".reshape(", b, ".size(1), ", b,
                                      ".size(0)).tanh()"));
          break;
        case 8:
          Assign(indent, absl::StrCat("torch.sigmoid(", a, ")"));
          break;
        case 9:
          AddIf(indent, depth, a);
          break;
        default:
          AddLoop(indent, depth, a);
          break;
      }
    }
  }

  void Assign(int indent, const std::string& expression) {
    Line(indent, absl::StrCat(New(), " = ", expression));
  }

  void AddIf(int indent, int depth, const std::string& value) {
    const std::string result = New();
    Line(indent, absl::StrCat(result, " = torch.clone(", value, ")"));
    Line(indent, absl::StrCat("if bool(torch.sum(", value, ") > 0):"));
    AddArm(indent + 1, depth + 1, result);
    Line(indent, "else:");
    AddArm(indent + 1, depth + 1, result);
  }

  void AddLoop(int indent, int depth, const std::string& value) {
    const std::string result = New();
    Line(indent, absl::StrCat(result, " = torch.clone(", value, ")"));
    Line(indent,
         absl::StrCat("for i", count_, " in range(", result, ".size(0) - 2):"));
    AddArm(indent + 1, depth + 1, result);
  }

  // Adds the lines of an arm. Values that are defined in it are not seen
  // outside.
  void AddArm(int indent, int depth, const std::string& result) {
    const int before = count_;
    AddLines(2, indent, depth);
    Line(indent, absl::StrCat(result, " = torch.sigmoid(", Newest(), ")"));
    // Names stay unique, but those of this arm are out of scope: the next
    // choices must not take them.
    for (int i = before; i < count_; ++i) {
      Line(indent, absl::StrCat("v", i, " = torch.neg(", result, ")"));
    }
    count_ = before;
  }

  std::mt19937 random_;
  int alpha_;
  std::string text_;
  int count_ = 1;
};

}  // namespace

std::string RandomProgram(int seed, int alpha) {
  return Program(seed, alpha).Source();
}

}  // namespace ns
