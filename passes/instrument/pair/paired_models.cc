#include "passes/instrument/pair/paired_models.h"

#include <vector>

namespace ns {

std::vector<PairComparerPtr> PairComparers::All() const {
  std::vector<PairComparerPtr> all;
  const auto add = [&](const PairComparerPtr& comparer) {
    if (comparer != nullptr) {
      all.push_back(comparer);
    }
  };
  for (const PairComparerPtr& comparer :
       {activation, shadow, inherited, kernel, weight_only, activation_only,
        variant}) {
    add(comparer);
  }
  for (const OtherOutputComparers& other : others) {
    for (const PairComparerPtr& comparer :
         {other.activation, other.shadow, other.inherited}) {
      add(comparer);
    }
  }
  return all;
}

}  // namespace ns
