#include "ns/quantization/eager/qat_switches.h"

#include "ns/quantization/eager/qat_module.h"
#include "passes/runtime/observers/fake_quantize.h"

namespace ns {
namespace {

using ::torch::jit::Module;

template <typename Do>
void ForEachFakeQuantize(const Module& model, const Do& act) {
  for (const Module& module : model.modules()) {
    for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
      if (attribute.value.type() == c10::getTypePtr<FakeQuantizePtr>()) {
        act(*attribute.value.toCustomClass<FakeQuantize>());
      }
    }
  }
}

void SetFreezeBn(const Module& model, bool freeze) {
  for (Module module : model.modules()) {
    if (IsQatModule(module) && module.hasattr("freeze_bn")) {
      module.setattr("freeze_bn", freeze);
      module.attr("bn").toModule().setattr("training", !freeze);
    }
  }
}

}  // namespace

void EnableObserver(Module& model) {
  ForEachFakeQuantize(model, [](FakeQuantize& f) { f.EnableObserver(true); });
}

void DisableObserver(Module& model) {
  ForEachFakeQuantize(model, [](FakeQuantize& f) { f.EnableObserver(false); });
}

void EnableFakeQuant(Module& model) {
  ForEachFakeQuantize(model, [](FakeQuantize& f) { f.EnableFakeQuant(true); });
}

void DisableFakeQuant(Module& model) {
  ForEachFakeQuantize(model, [](FakeQuantize& f) { f.EnableFakeQuant(false); });
}

void FreezeBnStats(Module& model) { SetFreezeBn(model, true); }

void UpdateBnStats(Module& model) { SetFreezeBn(model, false); }

}  // namespace ns
