// Writes what shows the error of a layer, for a bug report.
#ifndef NS_REPRO_LAYER_REPRO_FILES_H_
#define NS_REPRO_LAYER_REPRO_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/repro/layer_modules.h"
#include "ns/repro/layer_repro.h"

namespace ns {

struct WrittenFile {
  std::string path;
  int64_t bytes = 0;
};

// Returns the names of the files in `folder` that WriteLayerRepro writes.
std::vector<std::string> ReproPaths(const std::string& folder);

// Error: `folder` contains files of these names that no repro wrote, as its
// repro.py shows.
absl::Status CheckIsReproFolder(const std::string& folder);

// Writes into `folder`, all files or none:
//
//   float.pt      the float layer, TorchScript
//   quantized.pt  the quantized layer, TorchScript
//   inputs.pt     torch.save of a list with one batch, a tensor or a tuple
//   repro.py      runs both on the batch and prints the SQNR in dB
//
// repro.py needs torch alone, and op libraries as arguments where a layer has
// ops that are not torch's: see NeedsOpLibrary. It uses `engine`, that of
// LibTorch on which the layer ran ("onednn"), where its torch has it. Error: a
// layer that cannot be saved, a file that cannot be written.
absl::StatusOr<std::vector<WrittenFile>> WriteLayerRepro(
    const LayerRepro& repro, const std::string& engine,
    const std::string& folder);

// Returns an op of the layers that torch does not have: "ns::fbgemm_conv2d";
// empty where there is none.
std::string NeedsOpLibrary(const LayerModules& layers);

}  // namespace ns

#endif  // NS_REPRO_LAYER_REPRO_FILES_H_
