#include "passes/quantization/qconfig/qconfig_json.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/atomic_file.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(const std::string& fields) {
  return MessageOf(ParseQConfigMapping(
      absl::StrCat(R"({"schema": "ns.qconfig/1", )", fields, "}"), "q.json"));
}

QConfigMapping ExampleMapping() {
  QConfig own = Int8PerChannelQConfig();
  own.activation.config.kind = ObserverKind::kMse;
  return QConfigMapping()
      .SetGlobal(GetDefaultQConfig(Backend::kFbgemm))
      .SetObjectType("linear", own)
      .SetObjectType("torch.nn.modules.conv.Conv2d", std::nullopt)
      .SetModuleNameRegex("layer[12]\\.", DynamicQConfig())
      .SetModuleName("fc", std::nullopt)
      .SetModuleNameObjectTypeOrder("head", "linear", 1, Fp16QConfig());
}

constexpr char kExampleJson[] = R"({
  "schema": "ns.qconfig/1",
  "global": "fbgemm",
  "object_type": [
    ["linear", {"activation": {"kind": "mse"}, "weight": {"kind": "minmax-per-channel", "dtype": "qint8", "qscheme": "per_channel_symmetric"}}],
    ["torch.nn.modules.conv.Conv2d", null]
  ],
  "module_name_regex": [
    ["layer[12]\\.", "dynamic"]
  ],
  "module_name": [
    ["fc", null]
  ],
  "module_name_object_type_order": [
    ["head", "linear", 1, "fp16"]
  ]
}
)";

TEST(QConfigJsonTest, WritesOneSettingALine) {
  EXPECT_EQ(QConfigMappingToJson(ExampleMapping()), kExampleJson);
}

TEST(QConfigJsonTest, ReadsWhatItWrites) {
  EXPECT_EQ(OrThrow(ParseQConfigMapping(kExampleJson, "q.json")),
            ExampleMapping());
  for (const QConfigMapping& mapping :
       {QConfigMapping(), GetDefaultQConfigMapping(Backend::kX86),
        OrThrow(GetDefaultQatQConfigMapping(Backend::kQnnpack))}) {
    EXPECT_EQ(OrThrow(ParseQConfigMapping(QConfigMappingToJson(mapping), "")),
              mapping);
  }
}

TEST(QConfigJsonTest, AbsentSectionsAreEmpty) {
  EXPECT_EQ(
      OrThrow(ParseQConfigMapping(R"({"schema": "ns.qconfig/1"})", "q.json")),
      QConfigMapping());
}

TEST(QConfigJsonTest, AbsentObserversQuantizeNothing) {
  const QConfigMapping mapping = OrThrow(ParseQConfigMapping(
      R"({"schema": "ns.qconfig/1", "global": {"weight": {"dtype": "qint8"}}})",
      "q.json"));
  EXPECT_EQ(mapping.global()->activation, PlaceholderSpec());
}

TEST(QConfigJsonTest, QConfigsHaveTheirNameOrTheirObservers) {
  EXPECT_EQ(QConfigToJson(std::nullopt), "null");
  EXPECT_EQ(QConfigToJson(DynamicQConfig()), "\"dynamic\"");
  QConfig own = DynamicQConfig();
  own.weight.config.quant_min = -64;
  own.weight.config.quant_max = 63;
  EXPECT_EQ(
      QConfigToJson(own),
      R"({"activation": {"kind": "placeholder", "dtype": "quint8", )"
      R"("compute_dtype": "quint8"}, "weight": {"kind": "minmax", "dtype": )"
      R"("qint8", "qscheme": "per_tensor_symmetric", "quant_min": -64, )"
      R"("quant_max": 63}})");
}

// As in tools/docs/formats.md.
constexpr char kDocumentedJson[] = R"({
  "schema": "ns.qconfig/1",
  "global": "fbgemm",
  "object_type": [
    ["linear", {"activation": {"kind": "mse", "reduce_range": true},
                "weight": {"kind": "minmax", "dtype": "qint8",
                           "qscheme": "per_tensor_symmetric"}}]
  ],
  "module_name_regex": [["layer[34]\\.", "int8-per-channel"]],
  "module_name": [["fc", null]],
  "module_name_object_type_order": [["head", "add", 0, "dynamic"]]
})";

TEST(QConfigJsonTest, ReadsTheExampleOfTheDocumentation) {
  const QConfigMapping mapping =
      OrThrow(ParseQConfigMapping(kDocumentedJson, "README"));
  EXPECT_EQ(mapping.ToString(),
            "global: static 0..127 histogram, int8 weight per channel\n"
            "object type 'linear': static 0..127 mse, int8 weight per tensor\n"
            "module name regex 'layer[34]\\.': int8 per channel\n"
            "module name 'fc': none\n"
            "object type 'add' number 0 in module 'head': dynamic\n");
}

TEST(QConfigJsonTest, AllPresetsCanBeNamed) {
  for (const std::string& name : PresetNames()) {
    const QConfigMapping mapping = OrThrow(ParseQConfigMapping(
        absl::StrCat(R"({"schema": "ns.qconfig/1", "global": ")", name, "\"}"),
        "q.json"));
    EXPECT_EQ(mapping.global(), OrThrow(PresetNamed(name))) << name;
  }
}

TEST(QConfigJsonTest, TextThatIsNoJsonHasLineAndColumn) {
  EXPECT_THAT(MessageOf(ParseQConfigMapping("{\n  \"schema\" 1}", "q.json")),
              StartsWith("q.json: line 2, column 12: expected : after"));
}

TEST(QConfigJsonTest, OtherSchemasAreErrors) {
  EXPECT_EQ(MessageOf(ParseQConfigMapping("[]", "q.json")),
            "q.json: '[]' must be an object with \"schema\": \"ns.qconfig/1\"");
  EXPECT_EQ(MessageOf(ParseQConfigMapping("{}", "q.json")),
            "q.json: has no \"schema\": \"ns.qconfig/1\"");
  EXPECT_EQ(
      MessageOf(ParseQConfigMapping(R"({"schema": "ns.compare/1"})", "q.json")),
      "q.json: schema: 'ns.compare/1' must be 'ns.qconfig/1'");
}

TEST(QConfigJsonTest, UnknownFieldsHaveTheNearest) {
  EXPECT_EQ(ErrorOf(R"("object_types": [])"),
            "q.json: has no field 'object_types'; did you mean "
            "'object_type'?");
  EXPECT_EQ(ErrorOf(R"("global": {"activations": {}})"),
            "q.json: global: has no field 'activations'; did you mean "
            "'activation'?");
  EXPECT_EQ(ErrorOf(R"("global": {"weight": {"dtipe": "qint8"}})"),
            "q.json: global: weight: has no field 'dtipe'; did you mean "
            "'dtype'?");
}

TEST(QConfigJsonTest, WrongTypesAreErrorsWithTheirPlace) {
  EXPECT_EQ(ErrorOf(R"("global": 1)"),
            "q.json: global: '1' must be a qconfig: an object, the name of "
            "one, or null");
  EXPECT_EQ(ErrorOf(R"("object_type": {})"),
            "q.json: object_type: '{}' must be a list of [TYPE, QCONFIG]");
  EXPECT_EQ(ErrorOf(R"("object_type": [["linear", null], ["relu"]])"),
            "q.json: object_type[1]: '[\"relu\"]' must be [TYPE, QCONFIG]");
  EXPECT_EQ(ErrorOf(R"("module_name": [[3, null]])"),
            "q.json: module_name[0]: '3' must be a string");
  for (const char* order : {"-1", "2.0", "3000000000", "\"0\""}) {
    EXPECT_THAT(ErrorOf(absl::StrCat(
                    R"("module_name_object_type_order": [["head", "linear", )",
                    order, ", null]]")),
                HasSubstr("must be the number of the op, counted from 0"))
        << order;
  }
  EXPECT_EQ(ErrorOf(R"("module_name_object_type_order": [["a", 1, 0, null]])"),
            "q.json: module_name_object_type_order[0]: '1' must be a string");
}

TEST(QConfigJsonTest, WrongQConfigsAreErrorsWithTheirPlace) {
  EXPECT_EQ(ErrorOf(R"("module_name": [["a", null], ["b", "fbgem"]])"),
            "q.json: module_name[1]: unknown qconfig 'fbgem'; did you mean "
            "'fbgemm'?");
  EXPECT_THAT(
      ErrorOf(R"("global": {"activation": {"kind": "mean"}})"),
      StartsWith("q.json: global: activation: no observer has kind 'mean'; "));
  EXPECT_THAT(ErrorOf(R"("module_name_regex": [["a(", null]])"),
              StartsWith("q.json: module name regex 'a(': "));
}

TEST(QConfigJsonTest, RepeatedKeysAreErrors) {
  EXPECT_EQ(ErrorOf(R"("global": null, "global": "fbgemm")"),
            "q.json: an object has 'global' twice");
  EXPECT_EQ(ErrorOf(R"("object_type": [["linear", null], ["linear", "x86"]])"),
            "q.json: object_type[1]: an earlier row is for the same; keep one "
            "of them");
  EXPECT_THAT(ErrorOf(R"("module_name_object_type_order":
                         [["a", "linear", 0, null], ["a", "linear", 1, null],
                          ["a", "linear", 0, null]])"),
              HasSubstr("order[2]: an earlier row is for the same"));
}

TEST(QConfigJsonTest, LongAndDeepTextsAreErrors) {
  EXPECT_THAT(ErrorOf(absl::StrCat("\"global\": ", std::string(5000, '['))),
              HasSubstr("nested deeper than 100"));
  EXPECT_THAT(ErrorOf(absl::StrCat("\"module_name_regex\": [[\"",
                                   std::string(100000, '('), "\", null]]")),
              HasSubstr("is longer than 1000 characters"));
}

TEST(QConfigJsonTest, MessagesAreOneLine) {
  const std::string message = ErrorOf(
      absl::StrCat(R"("global": "a\nb)", std::string(10000, 'x'), "\""));
  EXPECT_THAT(message, StartsWith("q.json: global: unknown qconfig 'a\\nbxx"));
  EXPECT_LT(message.size(), 1100U);
}

TEST(QConfigJsonTest, ReadsFiles) {
  const std::string path = testing::TempDir() + "/mapping.json";
  NS_ASSERT_OK(WriteFileAtomically(path, kExampleJson));
  EXPECT_EQ(OrThrow(ReadQConfigMapping(path)), ExampleMapping());
}

TEST(QConfigJsonTest, FilesThatCannotBeReadAreErrors) {
  EXPECT_EQ(MessageOf(ReadQConfigMapping("no/such/file")),
            "no/such/file: cannot open: No such file or directory");
  EXPECT_EQ(MessageOf(ReadQConfigMapping("/tmp")),
            "/tmp: is a folder; name a file that --emit-qconfig wrote");
  const std::string path = testing::TempDir() + "/wrong.json";
  NS_ASSERT_OK(WriteFileAtomically(path, "{}"));
  EXPECT_EQ(MessageOf(ReadQConfigMapping(path)),
            path + ": has no \"schema\": \"ns.qconfig/1\"");
}

}  // namespace
}  // namespace ns
