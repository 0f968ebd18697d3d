#include "ns/report/junit_report.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(JunitReportTest, WritesATestCaseForEachCheck) {
  EXPECT_EQ(
      ToJunit("ns compare",
              {{LimitKind::kFailBelow, "fc", "", "", 35, 30, 0, true},
               {LimitKind::kFailBelow, "lstm", "c_n", "", 21.3, 30, 0, false},
               {LimitKind::kMaxUnmatched, "", "", "", 1, 0, 0, false},
               {LimitKind::kMaxDrop, "fc", "", "weight", 0, 1, 0, true}}),
      R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="2" errors="0">
  <testsuite name="ns compare" tests="4" failures="2" errors="0">
    <testcase classname="ns.fail-below" name="fc"/>
    <testcase classname="ns.fail-below" name="lstm (c_n)">
      <failure type="fail-below" message="activation SQNR 21.3 dB is below --fail-below=30"/>
    </testcase>
    <testcase classname="ns.max-unmatched" name="max-unmatched">
      <failure type="max-unmatched" message="1 op is unmatched, more than --max-unmatched=0"/>
    </testcase>
    <testcase classname="ns.max-drop" name="fc weight"/>
  </testsuite>
</testsuites>
)xml");
}

TEST(JunitReportTest, WritesWarnings) {
  EXPECT_EQ(ToJunit("s", {}, {"a ]]> b", "<c>\n"}),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="0" failures="0" errors="0">
  <testsuite name="s" tests="0" failures="0" errors="0">
    <system-err>a ]]&gt; b
&lt;c&gt;\x0a
</system-err>
  </testsuite>
</testsuites>
)");
}

TEST(JunitReportTest, NamesAreEscaped) {
  const std::string xml =
      ToJunit("s", {{LimitKind::kMaxClip, "a\"/><x y='&'>\n\x1b[31m]]>", "", "",
                     kNan, 0.01, 0, true}});
  EXPECT_NE(
      xml.find("name=\"a&quot;/&gt;&lt;x y=&apos;&amp;&apos;&gt;\\x0a\\x1b"
               "[31m]]&gt;\"/>"),
      std::string::npos)
      << xml;
}

TEST(JunitReportTest, WhatXmlHasNoPlaceForIsReplaced) {
  EXPECT_EQ(EscapeXml(std::string("\0a", 2)), "\\x00a");
  EXPECT_EQ(EscapeXml("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(EscapeXml("\xef\xbf\xbf\xef\xbf\xbe"), "\uFFFD\uFFFD");
  EXPECT_EQ(EscapeXml("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(EscapeXml("=cmd|' /C calc'!A0 \u00e9 \U0001F600"),
            "=cmd|&apos; /C calc&apos;!A0 \u00e9 \U0001F600");
}

}  // namespace
}  // namespace ns
