#include "ns/result/provenance.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

TEST(ProvenanceTest, ComesBackFromJson) {
  Provenance made;
  made.tool = "ns 1.2.3";
  made.command = "ns quantize 'a b.pt'";
  made.libtorch = "1.13.0";
  made.engine = "onednn";
  made.processor = "P \"quoted\"";
  made.files = {{"a b.pt", "00ff"}, {"i.pt", "11"}};
  const Provenance read = OrThrow(ParseProvenance(ProvenanceJson(made)));
  EXPECT_EQ(ProvenanceJson(read), ProvenanceJson(made));
  EXPECT_EQ(read.command, made.command);
  EXPECT_EQ(read.processor, made.processor);
  ASSERT_EQ(read.files.size(), 2);
  EXPECT_EQ(read.files[0].sha256, "00ff");
}

TEST(ProvenanceTest, ErrorsNameTheMember) {
  EXPECT_THAT(std::string(ParseProvenance("{\"tool\": 3}").status().message()),
              HasSubstr("tool"));
  EXPECT_FALSE(ParseProvenance("not JSON").ok());
}

}  // namespace
}  // namespace ns
