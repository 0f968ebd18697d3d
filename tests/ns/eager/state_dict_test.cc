#include "ns/eager/state_dict.h"

#include <ATen/Functions.h>
#include <ATen/core/Dict.h>
#include <caffe2/serialize/inline_container.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/write_torch_save.h"
#include "ns/eager/compare_state_dicts.h"
#include "ns/eager/compare_weights.h"
#include "ns/eager/module_weights.h"
#include "tests/ns/eager/eager_cases.h"
#include "tests/testing/mutate_archive.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

// A damaged size may ask for more memory than there is.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string CasePath(const std::string& name) {
  return "tests/models/eager_cases/" + name;
}

std::vector<std::string> KeysOf(const StateDict& dict) {
  std::vector<std::string> keys;
  for (const StateEntry& entry : dict) {
    keys.push_back(entry.key);
  }
  return keys;
}

TEST(LoadStateDictTest, ReadsTensorsInOrder) {
  const StateDict dict =
      OrThrow(LoadStateDict(CasePath("onednn_lstm_dynamic_float_state.pt")));
  EXPECT_THAT(KeysOf(dict),
              ElementsAre("lstm.weight_ih_l0", "lstm.weight_hh_l0",
                          "lstm.bias_ih_l0", "lstm.bias_hh_l0"));
  for (const StateEntry& entry : dict) {
    EXPECT_FALSE(entry.is_packed);
    ASSERT_THAT(entry.values, SizeIs(1));
  }
  EXPECT_EQ(dict[1].values[0].sizes(), (std::vector<int64_t>{8, 2}));
}

// A tuple (weight, bias), beside a dtype that is left out.
TEST(LoadStateDictTest, ReadsWeightOfPackedLinear) {
  const StateDict dict =
      OrThrow(LoadStateDict(CasePath("onednn_linear_quantized_state.pt")));
  for (const StateEntry& entry : dict) {
    EXPECT_EQ(entry.is_packed,
              entry.key == "fc1.module._packed_params._packed_params");
    ASSERT_THAT(entry.values, SizeIs(1));
    EXPECT_EQ(entry.values[0].is_quantized(), entry.is_packed);
  }
  EXPECT_THAT(
      KeysOf(dict),
      testing::Not(testing::Contains("fc1.module._packed_params.dtype")));
}

TEST(LoadStateDictTest, ReadsBothWeightsOfCells) {
  const StateDict dict = OrThrow(
      LoadStateDict(CasePath("qnnpack_lstm_dynamic_quantized_state.pt")));
  ASSERT_THAT(KeysOf(dict), ElementsAre("lstm._all_weight_values.0.param"));
  EXPECT_TRUE(dict[0].is_packed);
  ASSERT_THAT(dict[0].values, SizeIs(2));
  for (const at::Tensor& value : dict[0].values) {
    EXPECT_TRUE(value.is_quantized());
    EXPECT_EQ(value.sizes(), (std::vector<int64_t>{8, 2}));
  }
}

TEST(LoadStateDictTest, TellsStateDictsFromOtherFiles) {
  EXPECT_TRUE(HoldsStateDict(CasePath("onednn_conv_float_state.pt")));
  EXPECT_TRUE(HoldsStateDict(CasePath("onednn_conv_quantized_state.pt")));
  EXPECT_FALSE(HoldsStateDict(CasePath("onednn_conv_float.pt")));
  EXPECT_FALSE(HoldsStateDict(CasePath("onednn_conv_quantized.pt")));
  EXPECT_FALSE(HoldsStateDict(CasePath("onednn_conv_inputs.pt")));
  EXPECT_FALSE(HoldsStateDict("no_such_file.pt"));
}

std::string Saved(const c10::IValue& value) {
  std::string path = TemporaryPath("saved.pt");
  EXPECT_GT(OrThrow(WriteTorchSave(path, value)), 0);
  return path;
}

TEST(LoadStateDictTest, SaysWhatAFileHoldsInstead) {
  EXPECT_THAT(MessageOf(LoadStateDict("no_such_file.pt")),
              HasSubstr("no_such_file.pt: "));
  EXPECT_THAT(MessageOf(LoadStateDict(Saved(at::ones({2})))),
              HasSubstr("saved.pt: holds no state_dict; save it with "
                        "torch.save(model.state_dict(), path)"));
  c10::impl::GenericDict checkpoint(c10::AnyType::get(), c10::AnyType::get());
  checkpoint.insert("epoch", 3);
  EXPECT_THAT(MessageOf(LoadStateDict(Saved(checkpoint))),
              HasSubstr("holds a dict without tensors"));
  c10::impl::GenericDict by_number(c10::AnyType::get(), c10::AnyType::get());
  by_number.insert(3, at::ones({2}));
  EXPECT_FALSE(HoldsStateDict(Saved(by_number)));
}

std::string PickledText(const std::string& text) {
  return std::string{'X', static_cast<char>(text.size()), 0, 0, 0} + text;
}

// A call of a function of torch._utils, whose arguments are pickled.
std::string PickledCall(const std::string& function,
                        const std::string& arguments) {
  return "ctorch._utils\n" + function + "\n(" + arguments + "tR";
}

// A file of torch.save with a dict of these entries, whose values are pickled,
// and a storage "0" of the floats 1 and 2.
std::string SavedEntries(
    const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string pickle = "\x80\x02}(";
  for (const auto& [key, value] : entries) {
    pickle += PickledText(key) + value;
  }
  pickle += "u.";
  std::string path = TemporaryPath("entries.pt");
  caffe2::serialize::PyTorchStreamWriter writer(path);
  writer.writeRecord("data.pkl", pickle.data(), pickle.size());
  const float storage[] = {1, 2};
  writer.writeRecord("data/0", storage, sizeof(storage));
  writer.writeEndOfFile();
  return path;
}

TEST(LoadStateDictTest, LeavesOutTensorsWithoutDenseValues) {
  const std::string dense =
      PickledCall("_rebuild_tensor_v2",
                  "(" + PickledText("storage") + "ctorch\nFloatStorage\n" +
                      PickledText("0") + PickledText("cpu") + "K\x02tQ" +
                      std::string{'K', 0} + "K\x02\x85K\x01\x85\x89}");
  const std::string sparse = PickledCall(
      "_rebuild_sparse_tensor", "ctorch\nsparse_coo\n(" + dense + dense + "t");
  const std::string with_attributes =
      "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n"
      "_rebuild_sparse_tensor\nctorch\nTensor\n)}tR";
  const StateDict dict = OrThrow(LoadStateDict(SavedEntries(
      {{"first", dense},
       {"sparse", sparse},
       {"meta", PickledCall("_rebuild_meta_tensor_no_storage", "")},
       {"parameter", PickledCall("_rebuild_parameter", sparse + "\x89}")},
       {"attributes", with_attributes},
       {"packed", "(" + sparse + "Nt"},
       {"last", PickledCall("_rebuild_parameter", dense + "\x89}")}})));
  EXPECT_THAT(KeysOf(dict), ElementsAre("first", "last"));
  for (const StateEntry& entry : dict) {
    ASSERT_THAT(entry.values, SizeIs(1));
    EXPECT_TRUE(entry.values[0].equal(at::tensor({1.0F, 2.0F})));
  }
  EXPECT_THAT(MessageOf(LoadStateDict(SavedEntries({{"sparse", sparse}}))),
              HasSubstr("entries.pt: holds a dict without tensors"));
  EXPECT_THAT(MessageOf(LoadStateDict(SavedEntries(
                  {{"first", dense},
                   {"other", PickledCall("_rebuild_mkldnn_tensor", "")}}))),
              HasSubstr("entries.pt: holds a torch._utils._rebuild_mkldnn"));
}

// Damaged files give an error or a value, and never a crash.
TEST(LoadStateDictTest, SurvivesDamage) {
  std::mt19937 random(7);
  for (const char* name : {"onednn_lstm_dynamic_quantized_state.pt",
                           "onednn_conv_quantized_state.pt",
                           "onednn_linear_dynamic_quantized_state.pt"}) {
    std::ifstream file(CasePath(name), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(bytes.empty());
    const StateDict whole = OrThrow(LoadStateDict(CasePath(name)));
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
      const std::string path = TemporaryPath("mutant.pt");
      std::ofstream(path, std::ios::binary) << Mutate(bytes, random).bytes;
      (void)HoldsStateDict(path);
      const absl::StatusOr<StateDict> dict = LoadStateDict(path);
      if (dict.ok()) {
        (void)ModuleWeights(*dict);
        (void)CompareStateDicts(whole, *dict);
      } else {
        ++refused;
        EXPECT_THAT(std::string(dict.status().message()),
                    HasSubstr("mutant.pt: "));
      }
    }
    EXPECT_GT(refused, 50) << name;
  }
}

// The weights of the dicts are those of the modules, bit for bit.
class StateDictWeightsTest : public EagerCaseTest {};

TEST_P(StateDictWeightsTest, AreThoseOfTheModules) {
  const std::string engine = GetParam() == at::kONEDNN ? "onednn_" : "qnnpack_";
  for (const std::string name :
       {"conv", "conv_transpose", "conv_bn_relu", "linear", "two_linears",
        "submodule", "linear_dynamic", "lstm_dynamic"}) {
    SCOPED_TRACE(name);
    const EagerCase pair = Load(name);
    const StateDict of_float =
        OrThrow(LoadStateDict(CasePath(engine + name + "_float_state.pt")));
    const StateDict of_quantized =
        OrThrow(LoadStateDict(CasePath(engine + name + "_quantized_state.pt")));
    for (const bool compat : {false, true}) {
      const LoggerDict of_modules = OrThrow(
          CompareWeights(pair.float_module, pair.quantized_module, {compat}));
      const LoggerDict of_dicts =
          CompareWeights(of_float, of_quantized, {compat});
      EXPECT_FALSE(of_dicts.empty());
      ASSERT_EQ(Keys(of_dicts), Keys(of_modules));
      for (size_t i = 0; i < of_dicts.size(); ++i) {
        for (const char* side : {kFloatValues, kQuantizedValues}) {
          const auto& x = of_modules[i].second.at(side);
          const auto& y = of_dicts[i].second.at(side);
          ASSERT_EQ(x.size(), y.size());
          for (size_t j = 0; j < x.size(); ++j) {
            EXPECT_TRUE(x[j].dequantize().equal(y[j].dequantize()));
          }
        }
      }
    }
  }
}

NS_INSTANTIATE_ON_ENGINES(StateDictWeightsTest);

}  // namespace
}  // namespace ns
