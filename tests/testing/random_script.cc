#include "tests/testing/random_script.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"

namespace ns {
namespace {

// Expressions of a 4 x 4 tensor: $0 and $1 are such, $2 and $3 numbers from 0
// to 3, and $4 a dimension.
constexpr const char* kExpressions[] = {
    "torch.add($0, $1)",
    "$0 * 0.5",
    "$0 * 1.5",
    "1.0 - $0",
    "$0 - $1 * 0.25",
    "torch.mul($0, torch.sigmoid($1))",
    "torch.sigmoid($0)",
    "torch.tanh($0)",
    "torch.relu($0)",
    "torch.clamp($0, -1.0, 1.0)",
    "torch.neg($0)",
    "torch.matmul($0, $1)",
    "torch.softmax($0, $4)",
    "torch.clone($0)",
    "torch.maximum($0, $1)",
    "torch.where($0 > 0, $0, $1)",
    // Views that differ in a constant.
    "$0[$2].unsqueeze(0) + $1",
    "$0[:, $2].unsqueeze(-1) * $1",
    "$0.select($4, $2).expand(4, 4) * 0.5",
    "$0.select(0, $2).unsqueeze(1) + $1.select(1, $3)",
    "$0[:, None, :].squeeze(1)",
    "$0.unsqueeze(-1).squeeze(-1) + $0.unsqueeze(1).squeeze(1)",
    "$0.transpose(0, 1)",
    "$0.t() + $1.transpose(-1, 0)",
    "$0.view(2, 8).view(4, 4)",
    "$0.reshape($1.size(1), -1)",
    "$0[:, ::2].repeat(1, 2)",
    "$0[1:3].repeat(2, 1) - $0[::2].repeat(2, 1)",
    "$0.narrow($4, 1, 2).sum($4, True) - $1",
    "$0 - $1.narrow($4, 2, 2).sum($4, True)",
    "$0.mean($4, True) - $1",
    "$0.max($4, True)[0] + $1",
    "torch.cat([$0[:, :2], $1[:, 2:]], 1)",
    "torch.cat([$0[$2:$2 + 1], $1[:3]], 0)",
    "torch.stack([$0, $1], 0).mean(0)",
    "torch.stack([$1, $0, $1], 2).select(2, $2 % 3)",
    // The parts of one value.
    "torch.cat([$0.chunk(2, $4)[1], $0.chunk(2, $4)[0]], $4)",
    "torch.stack($0.unbind($4), 1 - $4) + $1",
    "torch.cat($0.split([1, 3], $4), $4)",
    "$0.unbind($4)[$2] * $1.unbind(0)[$3] + $1",
};

// Statements that write to $0 or to what it is a view of. $5 is a new name.
constexpr const char* kWrites[] = {
    "torch.relu_($0)",
    "$0.add_($1, alpha=2)",
    "$0 *= 0.5",
    "$0 += $1",
    "$0[$2] = $1[$3] * 2.0",
    "$0[$2] *= 0.5",
    "$0[:, $2] += $1[:, $3]",
    "$0[:, ::2] *= 0.5",
    "$0[1:3] = $1[$2:$2 + 1]",
    "$0.select($4, $2).copy_($1.select($4, $3))",
    "$0.view(2, 8)[0].mul_(0.5)",
    "$0.transpose(0, 1).add_($1)",
    "$0.narrow($4, 1, 2).sigmoid_()",
    "$0.fill_(0.5)",
    "$0.copy_($1)",
    "$0.unbind($4)[$2].tanh_()",
    "$0.chunk(2, $4)[1].relu_()",
    "torch.tanh($1, out=$0)",
    // Read what they have written already.
    "$0[:, 1:] += $0[:, :-1]",
    "$0[:, :-1] *= $0[:, 1:]",
};

// Several lines that make one new value, $5.
constexpr const char* kGroups[] = {
    R"(p$6, q$6 = torch.chunk($0, 2, $4)
$5 = torch.cat([q$6 * 0.5, p$6 * 0.5], $4))",
    R"(p$6, q$6 = torch.split($0, [2, 2], $4)
$5 = torch.cat([torch.tanh(q$6), torch.tanh(p$6)], $4))",
    R"(a$6, b$6, c$6, d$6 = torch.unbind($0, $4)
$5 = torch.stack([c$6 * 0.5, d$6, a$6 * 0.5, b$6]))",
    R"(r$6 = $0[$2]
r$6.mul_(0.5)
$5 = $0 * r$6)",
    R"(w$6 = $0.view(2, 8)
w$6[$2 % 2] += 1.0
$5 = $0 + w$6.view(4, 4))",
    R"(z$6 = torch.zeros(4, 4)
z$6[$2] = $0[$3]
z$6[:, $3] += $1[$2]
$5 = z$6 * 0.5)",
    R"(e$6 = torch.zeros_like($0)
e$6[1:3, $2] = 1.0
$5 = e$6 * $1)",
    R"(l$6 = [$0]
l$6.append(torch.sigmoid($1))
c$6 = torch.cat(l$6, 1)
$5 = torch.cat([$0, c$6], 1)[:, $2:$2 + 4])",
    R"(l$6 = [$0, $1]
l$6 += [$0 * 0.5]
l$6[0] = torch.tanh($1)
$5 = torch.stack(l$6).mean(0))",
    R"(l$6 = [$0]
for i$6 in range(3):
    l$6.append(l$6[-1] * 0.5)
$5 = torch.stack(l$6).sum(0))",
    R"(l$6 = [t$6 * 0.5 for t$6 in torch.unbind($0, $4)]
$5 = torch.stack(l$6))",
    R"(h$6 = {'a': $0, 'b': $1}
h$6['c'] = h$6['a'] * 0.5
h$6['b'] = torch.tanh(h$6['b'])
$5 = h$6['c'] + h$6['b'])",
    R"(u$6 = ($0 * 0.5, torch.relu($1))
$5 = u$6[1] - u$6[0])",
    R"(o$6: Optional[Tensor] = None
if bool(torch.sum($0) > 0):
    o$6 = torch.tanh($1)
$5 = $0 if o$6 is None else o$6 * 0.5)",
    R"(k$6 = 0
$5 = torch.clone($0)
while k$6 < 3 and bool(torch.sum($5) < 4.0):
    $5 = torch.clamp($5 + $1, -2.0, 2.0)
    k$6 += 1)",
    R"(v$6, i$6 = torch.topk($0, 2, $4)
$5 = torch.cat([v$6, v$6 * 0.5], $4))",
    // Read before they are written to, in a loop that is not unrolled.
    R"(l$6 = [$0]
for i$6 in range($1.size(0) - 1):
    t$6 = torch.stack(l$6).mean(0)
    l$6.append(t$6 * 0.5)
$5 = l$6[-1])",
    R"(l$6: List[Tensor] = []
for i$6 in range($0.size(0)):
    l$6.append($0[i$6] * 0.5)
    l$6[0] = torch.relu(l$6[-1])
$5 = torch.stack(l$6) + $1)",
    R"(l$6 = [$0, $1]
while len(l$6) < 5:
    l$6 = [torch.tanh(l$6[-1] - torch.stack(l$6).mean(0))] + l$6
$5 = torch.cat(l$6, 1)[:, 4:8])",
    R"(d$6 = {0: $0}
for i$6 in range($1.size(0) - 2):
    d$6[i$6 + 1] = torch.sigmoid(torch.stack(list(d$6.values())).sum(0))
$5 = d$6[2] - $1)",
    R"(z$6 = torch.zeros(4)
for i$6 in range($1.size(0)):
    t$6 = torch.tanh($0 + z$6)
    z$6.copy_(t$6[i$6])
$5 = $1 * z$6)",
    R"(m$6 = torch.clone($0)
for i$6 in range($1.size(0) - 1):
    m$6[i$6] = m$6[i$6 + 1] * 0.5 + torch.sigmoid($1[i$6])
    m$6[:, i$6] *= 0.5
$5 = m$6 - $1)",
    // Carried by a loop.
    R"(h$6 = ($0, torch.zeros_like($1))
for i$6 in range($1.size(0)):
    h$6 = (torch.tanh(h$6[0] + h$6[1]), h$6[0] * 0.5)
$5 = h$6[0] - h$6[1])",
    R"(o$6: Optional[Tensor] = None
for i$6 in range($1.size(0)):
    o$6 = torch.tanh($0) if o$6 is None else o$6 * 0.5
$5 = $1 if o$6 is None else o$6 + $1)",
};

// Builds the source. Every variable of tensors_ and lists_ can be seen at the
// current place.
class Script {
 public:
  explicit Script(int64_t seed)
      : random_(static_cast<std::mt19937::result_type>(seed)) {}

  std::string Source() {
    text_ = "def forward(self, x: Tensor) -> Tensor:\n";
    tensors_ = {"x"};
    AddLine("v0 = torch.neg(x)");
    tensors_.push_back("v0");
    count_ = 1;
    AddStatements(6 + Choose(8), /*depth=*/0);
    std::vector<std::string> last(
        std::max(tensors_.begin(), tensors_.end() - 3), tensors_.end());
    AddLine(absl::StrCat("return ", absl::StrJoin(last, " + ")));
    return text_;
  }

 private:
  int Choose(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random_);
  }

  const std::string& AnyOf(const std::vector<std::string>& names) {
    const int size = static_cast<int>(names.size());
    // Mostly one of the latest.
    return names[size - 1 -
                 (Choose(4) == 0 ? Choose(size) : Choose(std::min(size, 3)))];
  }

  std::string New() { return absl::StrCat("v", count_++); }

  void AddLine(const std::string& line) {
    absl::StrAppend(&text_, std::string(4 * indent_, ' '), line, "\n");
  }

  std::string Fill(absl::string_view form, const std::string& made = "") {
    // One by one: the order of arguments is not defined.
    const std::string a = AnyOf(tensors_);
    const std::string b = AnyOf(tensors_);
    const int first = Choose(4);
    const int second = Choose(4);
    const int dim = Choose(2);
    return absl::Substitute(form, a, b, first, second, dim, made, count_);
  }

  template <size_t N>
  absl::string_view OneOf(const char* const (&forms)[N]) {
    return forms[Choose(static_cast<int>(N))];
  }

  void AddStatements(int count, int depth) {
    for (int i = 0; i < count; ++i) {
      AddStatement(depth);
    }
  }

  void AddStatement(int depth) {
    switch (Choose(depth < 2 ? 13 : 9)) {
      case 0:
      case 1:
      case 2:
        AddAssignment();
        break;
      case 3:
      case 4:
        AddLine(Fill(OneOf(kWrites)));
        break;
      case 5:
      case 6:
        AddGroup();
        break;
      case 7:
        AddToList();
        break;
      case 8:
        AddReassignment();
        break;
      case 9:
      case 10:
        AddIf(depth);
        break;
      default:
        AddLoop(depth);
        break;
    }
  }

  // Keeps what may have grown in range.
  static std::string Bounded(const std::string& expression) {
    return absl::StrCat("torch.clamp(", expression, ", -8.0, 8.0)");
  }

  void AddAssignment() {
    const std::string expression = Fill(OneOf(kExpressions));
    const std::string name = New();
    AddLine(absl::StrCat(name, " = ",
                         Choose(4) == 0 ? Bounded(expression) : expression));
    tensors_.push_back(name);
  }

  // Not of `x`, which is the caller's.
  void AddReassignment() {
    const std::string name = AnyOf(tensors_);
    if (name != "x") {
      const std::string expression = Fill(OneOf(kExpressions));
      AddLine(absl::StrCat(name, " = ", Bounded(expression)));
    }
  }

  void AddGroup() {
    const absl::string_view form = OneOf(kGroups);
    const int number = count_;
    const std::string name = absl::StrCat("v", number);
    const std::string lines = Fill(form, name);
    count_ = number + 1;
    for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
      AddLine(std::string(line));
    }
    tensors_.push_back(name);
  }

  // Makes a list, adds to one, or uses one.
  void AddToList() {
    if (lists_.empty() || Choose(4) == 0) {
      const std::string name = absl::StrCat("l", count_++);
      AddLine(absl::StrCat(name, " = [", AnyOf(tensors_), "]"));
      lists_.push_back(name);
      return;
    }
    const std::string list = AnyOf(lists_);
    switch (Choose(6)) {
      case 0:
        AddLine(absl::StrCat(list, ".append(", Fill(OneOf(kExpressions)), ")"));
        return;
      case 1:
        AddLine(absl::StrCat(list, ".insert(0, ", AnyOf(tensors_), ")"));
        return;
      case 2:
        AddLine(absl::StrCat(list, " += [", AnyOf(tensors_), "]"));
        return;
      case 3:
        AddLine(absl::StrCat(list, "[-1] = ", AnyOf(tensors_)));
        return;
      default: {
        constexpr const char* kUses[] = {
            "torch.stack($0).mean(0)",
            "torch.cat($0, 1)[:, -4:]",
            "torch.cat($0, 0).view(-1, 4, 4).sum(0)",
            "$0[0] - $0[-1]",
        };
        const std::string value = Bounded(absl::Substitute(OneOf(kUses), list));
        const std::string name = New();
        AddLine(absl::StrCat(name, " = ", value));
        tensors_.push_back(name);
      }
    }
  }

  // Adds the lines of an arm or body, whose names cannot be seen afterwards. It
  // mostly changes a value from outside.
  void AddInner(int depth) {
    const std::vector<std::string> tensors = tensors_;
    const std::vector<std::string> lists = lists_;
    ++indent_;
    AddStatements(1 + Choose(3), depth + 1);
    const std::string made = tensors_.back();
    const std::string& outer = AnyOf(tensors);
    if (outer == "x") {
      AddLine("pass");
    } else {
      AddLine(absl::StrCat(outer, " = ", Bounded(made + " * 0.5")));
    }
    --indent_;
    tensors_ = tensors;
    lists_ = lists;
  }

  void AddIf(int depth) {
    AddLine(absl::StrCat("if bool(torch.sum(", AnyOf(tensors_), ") > ",
                         Choose(5) - 2, "):"));
    AddInner(depth);
    if (Choose(2) == 0) {
      AddLine("else:");
      AddInner(depth);
    }
  }

  void AddLoop(int depth) {
    const std::string trips = Choose(2) == 0 ? absl::StrCat(Choose(4))
                                             : AnyOf(tensors_) + ".size(0) - 2";
    AddLine(absl::StrCat("for i", count_++, " in range(", trips, "):"));
    AddInner(depth);
  }

  std::mt19937 random_;
  std::string text_;
  int indent_ = 1;
  int count_ = 0;
  std::vector<std::string> tensors_;
  std::vector<std::string> lists_;
};

}  // namespace

std::string RandomScript(int64_t seed) { return Script(seed).Source(); }

}  // namespace ns
