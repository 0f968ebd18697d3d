#include "ns/compare/choose_samples.h"

#include <ATen/ATen.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

BatchReader Batches() {
  return BatchReader::FromBatches({{{at::rand({2, 3})}, {}, {}},
                                   {{at::rand({0, 3})}, {}, {}},
                                   {{at::rand({3, 3})}, {}, {}},
                                   {{at::rand({1, 3})}, {}, {}}});
}

TEST(ChooseSamplesTest, ReadsAChoice) {
  EXPECT_EQ(OrThrow(ParseSampleChoice("flipped")).kind,
            SampleChoice::Kind::kFlipped);
  const SampleChoice worst = OrThrow(ParseSampleChoice("worst:8"));
  EXPECT_EQ(worst.kind, SampleChoice::Kind::kWorst);
  EXPECT_EQ(worst.count, 8);
  const SampleChoice listed = OrThrow(ParseSampleChoice("17,3,17"));
  EXPECT_EQ(listed.kind, SampleChoice::Kind::kListed);
  EXPECT_THAT(listed.samples, ElementsAre(3, 17));
}

TEST(ChooseSamplesTest, RefusesWhatIsNoChoice) {
  for (const char* text : {"", "flip", "3,", "-1", "1.5", "worst", "0x3"}) {
    EXPECT_THAT(MessageOf(ParseSampleChoice(text)),
                HasSubstr("is not flipped, worst:N, or the number of a sample"))
        << text;
  }
  for (const char* text : {"worst:", "worst:0", "worst:-2", "worst:many"}) {
    EXPECT_THAT(MessageOf(ParseSampleChoice(text)),
                HasSubstr("has no number of samples of at least 1"))
        << text;
  }
}

TEST(ChooseSamplesTest, SamplesAreCountedOverAllBatches) {
  const ChosenSamples chosen =
      OrThrow(ListedSamples(Batches(), OrThrow(ParseSampleChoice("1,2,4,5"))));
  ASSERT_EQ(chosen.selection.size(), 3U);
  EXPECT_EQ(chosen.selection[0].batch, 0);
  EXPECT_THAT(chosen.selection[0].samples, ElementsAre(1));
  EXPECT_EQ(chosen.selection[1].batch, 2);
  EXPECT_EQ(chosen.selection[1].of, 3);
  EXPECT_THAT(chosen.selection[1].samples, ElementsAre(0, 2));
  EXPECT_EQ(chosen.selection[2].batch, 3);
  EXPECT_EQ(chosen.compared.total, 6);
  EXPECT_EQ(chosen.compared.chosen, "listed");
}

TEST(ChooseSamplesTest, SamplesOutOfRangeAreAnError) {
  EXPECT_EQ(
      MessageOf(ListedSamples(Batches(), OrThrow(ParseSampleChoice("0,6,9")))),
      "--samples: there is no sample 6; the inputs have 6, counted from "
      "0");
}

}  // namespace
}  // namespace ns
