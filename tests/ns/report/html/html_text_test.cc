#include "ns/report/html/html_text.h"

#include <string>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(HtmlTextTest, MarkupBecomesText) {
  EXPECT_EQ(HtmlText("<img src=x onerror=\"a('&')\">"),
            "&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;");
  EXPECT_EQ(HtmlText("a]]>b"), "a]]&gt;b");
}

TEST(HtmlTextTest, ControlCharactersAreVisible) {
  EXPECT_EQ(HtmlText("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
}

TEST(HtmlTextTest, OtherTextStaysAsItIs) {
  EXPECT_EQ(HtmlText("layer1.0.conv1 → é"), "layer1.0.conv1 → é");
}

TEST(JsonForScriptTest, NothingCanEndTheElement) {
  EXPECT_EQ(JsonForScript("{\"a\": \"</script><!--&\"}"),
            "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\"}");
}

TEST(JsonForScriptTest, LineSeparatorsAreEscaped) {
  EXPECT_EQ(JsonForScript("[\"a\xe2\x80\xa8\xe2\x80\xa9z\"]"),
            "[\"a\\u2028\\u2029z\"]");
}

TEST(JsonForScriptTest, DropsSpaceOutsideOfStringsOnly) {
  EXPECT_EQ(
      JsonForScript("{\n  \"a b\" : [ 1 ,\t\"\\\" c\\\\\" , \"d e\" ]\n}"),
      "{\"a b\":[1,\"\\\" c\\\\\",\"d e\"]}");
}

TEST(HashSourceTest, IsTheHashThatBrowsersCompute) {
  // printf 'abc' | openssl dgst -sha256 -binary | base64
  EXPECT_EQ(HashSource("abc"),
            "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
  EXPECT_EQ(HashSource(""),
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

}  // namespace
}  // namespace ns
