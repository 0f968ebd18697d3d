#include "passes/matching/control_flow_results.h"

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

using Index = std::optional<size_t>;
using Indices = std::vector<size_t>;

// Returns "x0" for %x0.3; empty for a value without a name.
std::string NameOf(const Value& value) {
  return value.hasDebugName() ? value.debugNameBase() : "";
}

// Returns "x" for %x0.3.
std::string VariableOf(const Value& value) {
  std::string name = NameOf(value);
  while (!name.empty() && absl::ascii_isdigit(name.back())) {
    name.pop_back();
  }
  return name;
}

// Returns the outputs that are left, by name; absent for a name that several
// have.
template <typename Name>
std::map<std::string, Index> ByName(const Node& node, const Indices& left,
                                    const Name& name_of) {
  std::map<std::string, Index> by_name;
  for (const size_t i : left) {
    const std::string name = name_of(*node.output(i));
    if (!name.empty()) {
      const auto [it, is_new] = by_name.emplace(name, i);
      if (!is_new) {
        it->second.reset();
      }
    }
  }
  return by_name;
}

class Pairing {
 public:
  Pairing(const Node& a, const Node& b)
      : a_(a), b_(b), left_a_(AllOf(a)), left_b_(AllOf(b)) {}

  template <typename Name>
  void PairByName(const Name& name_of) {
    const auto of_a = ByName(a_, left_a_, name_of);
    for (const auto& [name, j] : ByName(b_, left_b_, name_of)) {
      const auto found = of_a.find(name);
      if (j && found != of_a.end() && found->second) {
        Add(*found->second, *j);
      }
    }
  }

  void PairTheRest() {
    if (left_a_.size() == left_b_.size()) {
      const Indices a = left_a_;
      const Indices b = left_b_;
      for (size_t i = 0; i < a.size(); ++i) {
        Add(a[i], b[i]);
      }
    }
  }

  std::vector<std::pair<size_t, size_t>> Take() {
    absl::c_sort(pairs_);
    return std::move(pairs_);
  }

 private:
  static Indices AllOf(const Node& node) {
    Indices all(node.outputs().size());
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = i;
    }
    return all;
  }

  void Add(size_t i, size_t j) {
    if (a_.output(i)->type()->kind() == b_.output(j)->type()->kind()) {
      pairs_.emplace_back(i, j);
      left_a_.erase(absl::c_find(left_a_, i));
      left_b_.erase(absl::c_find(left_b_, j));
    }
  }

  const Node& a_;
  const Node& b_;
  Indices left_a_;
  Indices left_b_;
  std::vector<std::pair<size_t, size_t>> pairs_;
};

}  // namespace

std::vector<std::pair<size_t, size_t>> PairResults(const Node& a,
                                                   const Node& b) {
  Pairing pairing(a, b);
  pairing.PairByName(NameOf);
  pairing.PairByName(VariableOf);
  pairing.PairTheRest();
  return pairing.Take();
}

bool ShareVariable(const Node& a, const Node& b) {
  return absl::c_any_of(a.outputs(), [&](const Value* of_a) {
    const std::string name = NameOf(*of_a);
    return !name.empty() && absl::c_any_of(b.outputs(), [&](const Value* of_b) {
      return NameOf(*of_b) == name;
    });
  });
}

}  // namespace ns
