// Random mappings come back from their text, and mutated texts are read or
// refused with one line.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig_json.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_config.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr int kMappings = 1000;
constexpr int kMutants = 10000;

class RandomMappings {
 public:
  explicit RandomMappings(uint32_t seed) : random_(seed) {}

  QConfigMapping Next() {
    QConfigMapping mapping;
    mapping.SetGlobal(NextQConfig());
    for (int i = Below(4); i > 0; --i) {
      mapping.SetObjectType(NextName(), NextQConfig());
    }
    for (int i = Below(3); i > 0; --i) {
      mapping.SetModuleNameRegex(Pick<const char*>({"a.*", "b\\.c", "[0-9]+"}),
                                 NextQConfig());
    }
    for (int i = Below(4); i > 0; --i) {
      mapping.SetModuleName(NextName(), NextQConfig());
    }
    for (int i = Below(4); i > 0; --i) {
      mapping.SetModuleNameObjectTypeOrder(NextName(), NextName(), Below(3),
                                           NextQConfig());
    }
    return mapping;
  }

  int Below(int count) { return static_cast<int>(random_() % count); }

  template <typename T>
  T Pick(const std::vector<T>& values) {
    return values[Below(static_cast<int>(values.size()))];
  }

 private:
  std::string NextName() {
    return Pick<std::string>({"", "fc", "layer1.0.conv1", "linear", "Linear",
                              "a \"quoted\" name", "back\\slash", "line\nend",
                              "gr\u00f6\u00dfe", "null", "a/b"});
  }

  OptionalQConfig NextQConfig() {
    switch (Below(4)) {
      case 0:
        return std::nullopt;
      case 1:
        return OrThrow(PresetNamed(Pick(PresetNames())));
      default:
        return QConfig{NextSpec(), NextSpec()};
    }
  }

  ObserverSpec NextSpec() {
    for (;;) {
      const ObserverSpec spec = AnySpec();
      if (spec.config.kind == ObserverKind::kScripted) {
        if (Validate(spec.config).ok()) {
          return spec;
        }
        continue;
      }
      const absl::StatusOr<ObserverPtr> observer = MakeObserver(spec.config);
      if (!observer.ok()) {
        continue;
      }
      if (spec.use == ObserverUse::kObserve ||
          MakeFakeQuantize(*observer,
                           spec.use == ObserverUse::kFusedFakeQuantize)
              .ok()) {
        return spec;
      }
    }
  }

  ObserverSpec AnySpec() {
    ObserverSpec spec = SpecOf(static_cast<ObserverKind>(
        Below(static_cast<int>(ObserverKind::kScripted) + 1)));
    ObserverConfig& config = spec.config;
    if (config.kind == ObserverKind::kScripted) {
      spec.path = "mine \u00e9.pt";
    }
    if (Below(2) == 0) {
      config.dtype =
          Pick<at::ScalarType>({at::kQUInt8, at::kQInt8, at::kQUInt4x2,
                                at::kQInt32, at::kHalf, at::kFloat});
    }
    if (Below(2) == 0) {
      config.qscheme = Pick<at::QScheme>(
          {at::kPerTensorAffine, at::kPerTensorSymmetric, at::kPerChannelAffine,
           at::kPerChannelSymmetric, at::kPerChannelAffineFloatQParams});
    }
    config.reduce_range = Below(3) == 0;
    if (Below(2) == 0) {
      config.quant_min = -Below(200);
      config.quant_max = Below(300);
    }
    if (Below(3) == 0) {
      std::uniform_real_distribution<double> number(0, 1);
      config.eps = number(random_) * 1e-5;
      config.averaging_constant = number(random_);
      config.percentile = 0.5 + number(random_) / 2;
      config.scale = number(random_) * 1e10;
    }
    if (Below(3) == 0) {
      config.ch_axis = Below(5) - 2;
      config.bins = 2 + Below(5000);
      config.upsample_rate = 1 + Below(300);
      config.zero_point = Below(300) - 150;
      config.custom_op_name = NextName();
      config.compute_dtype = at::kQUInt8;
      config.compat = true;
    }
    spec.use = static_cast<ObserverUse>(Below(3));
    return spec;
  }

  std::mt19937 random_;
};

TEST(QConfigJsonFuzzTest, RandomMappingsComeBack) {
  RandomMappings mappings(1);
  for (int i = 0; i < kMappings; ++i) {
    const QConfigMapping mapping = mappings.Next();
    const std::string text = QConfigMappingToJson(mapping);
    const absl::StatusOr<QConfigMapping> parsed =
        ParseQConfigMapping(text, "text");
    ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
    ASSERT_EQ(*parsed, mapping) << text;
    ASSERT_EQ(QConfigMappingToJson(*parsed), text);
  }
}

// `text` with a few changes: bytes, pieces that are gone or twice, and words of
// JSON.
std::string Mutant(std::string text, RandomMappings& random) {
  for (int i = 1 + random.Below(3); i > 0 && !text.empty(); --i) {
    const size_t begin = random.Below(static_cast<int>(text.size()));
    const size_t length =
        std::min<size_t>(1 + random.Below(20), text.size() - begin);
    switch (random.Below(4)) {
      case 0:
        text[begin] = static_cast<char>(random.Below(256));
        break;
      case 1:
        text.erase(begin, length);
        break;
      case 2:
        text.insert(begin, text.substr(begin, length));
        break;
      default:
        text.insert(begin, random.Pick<const char*>(
                               {"null", "true", "-1", "1e999", "0.5", "\"\"",
                                "{}", "[]", "[[", "99999999999999999999", ",",
                                "\"kind\": ", "\"inf\"", "\\u0000", "(("}));
    }
  }
  return text;
}

TEST(QConfigJsonFuzzTest, MutantsAreReadOrRefusedWithOneLine) {
  RandomMappings random(2);
  std::string text;
  int read = 0;
  for (int i = 0; i < kMutants; ++i) {
    if (i % 20 == 0) {
      text = QConfigMappingToJson(random.Next());
    }
    const std::string mutant = Mutant(text, random);
    const absl::StatusOr<QConfigMapping> parsed =
        ParseQConfigMapping(mutant, "text");
    if (!parsed.ok()) {
      const std::string message = MessageOf(parsed);
      EXPECT_EQ(message.rfind("text: ", 0), 0U) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_LT(message.size(), 1100U) << message;
      continue;
    }
    ++read;
    EXPECT_EQ(OrThrow(ParseQConfigMapping(QConfigMappingToJson(*parsed), "")),
              *parsed)
        << mutant;
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace ns
