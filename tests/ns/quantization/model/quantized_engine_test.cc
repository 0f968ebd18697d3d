#include "ns/quantization/model/quantized_engine.h"

#include <ATen/Context.h>

#include "absl/algorithm/container.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

bool IsSupported(at::QEngine engine) {
  return absl::c_linear_search(at::globalContext().supportedQEngines(), engine);
}

at::QEngine Present() { return at::globalContext().qEngine(); }

TEST(QuantizedEngineTest, BackendsRunOnAnEngineThatIsThere) {
  for (const Backend backend :
       {Backend::kFbgemm, Backend::kX86, Backend::kOnednn, Backend::kQnnpack}) {
    EXPECT_TRUE(IsSupported(EngineOf(backend))) << BackendName(backend);
  }
  EXPECT_EQ(EngineOf(Backend::kQnnpack), at::kQNNPACK);
  EXPECT_EQ(EngineOf(Backend::kOnednn), at::kONEDNN);
  const at::QEngine engine = EngineOf(Backend::kFbgemm);
  EXPECT_EQ(engine, IsSupported(at::kFBGEMM) ? at::kFBGEMM : at::kONEDNN);
  EXPECT_EQ(EngineOf(Backend::kX86), engine);
}

TEST(ScopedEngineTest, SetsAnEngineForAWhile) {
  const at::QEngine before = Present();
  {
    const ScopedEngine qnnpack(at::kQNNPACK);
    EXPECT_EQ(Present(), at::kQNNPACK);
    {
      const ScopedEngine onednn(at::kONEDNN);
      EXPECT_EQ(Present(), at::kONEDNN);
    }
    EXPECT_EQ(Present(), at::kQNNPACK);
  }
  EXPECT_EQ(Present(), before);
}

TEST(ScopedEngineTest, AnEngineThatIsNotThereChangesNothing) {
  const at::QEngine before = Present();
  for (const at::QEngine engine : {at::kFBGEMM, at::kX86, at::kNoQEngine}) {
    const ScopedEngine scoped(engine);
    EXPECT_EQ(Present(), IsSupported(engine) ? engine : before);
  }
  EXPECT_EQ(Present(), before);
}

}  // namespace
}  // namespace ns
