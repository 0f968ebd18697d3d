#include "ns/result/figure_kinds.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FigureKindsTest, EachRowHasNamesAndAPlaceOfItsOwn) {
  std::set<Figure> figures;
  std::set<std::string> keys;
  std::set<std::string> headers;
  for (const FigureKind& kind : FigureKinds()) {
    EXPECT_TRUE(figures.insert(kind.figure).second) << kind.key;
    EXPECT_TRUE(keys.insert(std::string(kind.key)).second) << kind.key;
    EXPECT_TRUE(headers.insert(std::string(kind.header)).second) << kind.key;
    EXPECT_NE(kind.of_layer.values == nullptr, kind.of_layer.error == nullptr)
        << kind.key << " has all figures or errors alone";
    EXPECT_EQ(kind.of_layer.error == nullptr,
              kind.of_layer.same_elements == nullptr)
        << kind.key << ": errors do not know how many elements there are";
    const bool has_run_of_its_own = kind.figure == Figure::kSecondData;
    EXPECT_EQ(kind.comparer == nullptr, has_run_of_its_own) << kind.key;
    EXPECT_EQ(kind.output_comparer == nullptr,
              has_run_of_its_own || (kind.of_output.values == nullptr &&
                                     kind.of_output.error == nullptr))
        << kind.key;
    EXPECT_EQ(&KindOf(kind.figure), &kind);
    EXPECT_EQ(FigureName(kind.figure), kind.header);
  }
  EXPECT_EQ(FigureName(Figure::kWeight), "weight");
}

// A figure that is kept in one place is found there and nowhere else.
TEST(FigureKindsTest, FiguresAreFoundWhereTheyAreKept) {
  for (const FigureKind& kind : FigureKinds()) {
    LayerComparison layer;
    EXPECT_EQ(ErrorAt(layer, kind.of_layer), nullptr) << kind.key;
    if (kind.of_layer.values != nullptr) {
      (layer.*kind.of_layer.values).emplace().error.sqnr_db = 7;
    } else {
      (layer.*kind.of_layer.error).emplace().sqnr_db = 7;
    }
    for (const FigureKind& other : FigureKinds()) {
      const ErrorFigures* error = ErrorAt(layer, other.of_layer);
      EXPECT_EQ(error != nullptr, other.figure == kind.figure)
          << kind.key << ", " << other.key;
      if (error != nullptr) {
        EXPECT_EQ(error->sqnr_db, 7);
      }
    }
  }
}

template <typename Owner>
std::vector<std::string> KindsWithValues(const Owner& owner) {
  std::vector<std::string> keys;
  ForEachValues(owner, [&](const FigureKind& kind, const auto&) {
    keys.emplace_back(kind.key);
  });
  return keys;
}

TEST(FigureKindsTest, ErrorsAloneAreNoValues) {
  LayerComparison layer;
  EXPECT_THAT(KindsWithValues(layer), IsEmpty());
  layer.kernel.emplace();
  layer.inherited.emplace();
  layer.activation.emplace();
  EXPECT_THAT(KindsWithValues(layer), ElementsAre("activation", "kernel"));
  OutputComparison output;
  output.inherited.emplace();
  output.shadow.emplace();
  EXPECT_THAT(KindsWithValues(output), ElementsAre("shadow"));
}

}  // namespace
}  // namespace ns
