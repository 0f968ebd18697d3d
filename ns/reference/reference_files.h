// Finds the values of layers that another runtime, a device or an earlier run
// saved in a folder.
#ifndef NS_REFERENCE_REFERENCE_FILES_H_
#define NS_REFERENCE_REFERENCE_FILES_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/reference/reference_values.h"

namespace ns {

// A folder with values by the names of layers, each in one of the forms that
// reference_values.h reads:
//
//   DIRECTORY/layer1.0.conv1/    a file for each batch, as --save-activations
//                                writes them
//   DIRECTORY/layer1.0.conv1.pt  a tensor, or a list of one for each batch
//   DIRECTORY/layer1.0.conv1.npy
//
// The name is that of the layer or LayerFolder() of it (activation_files.h).
// Hidden files, and files that end in neither .pt nor .npy, are not looked at.
class ReferenceFiles {
 public:
  // Lists the folder. Error, naming it: it cannot be read, is not a folder,
  // holds no values, or has values of one layer in two forms.
  static absl::StatusOr<ReferenceFiles> Open(const std::string& directory);

  const std::string& directory() const { return directory_; }

  // Opens the values of `layer`, to be read from the front; null where there
  // are none. Error: that of the functions of reference_values.h.
  absl::StatusOr<std::unique_ptr<ReferenceValues>> OpenLayer(
      const std::string& layer);

  // Returns the names, without .pt and .npy, that no OpenLayer() asked for, in
  // order.
  std::vector<std::string> NotOpened() const;

 private:
  // How the values of a layer are kept.
  enum class Form { kFolder, kTorchSave, kArray };
  struct Entry {
    Form form;
    std::string path;
    bool is_opened = false;
  };

  ReferenceFiles(std::string directory, std::map<std::string, Entry> entries)
      : directory_(std::move(directory)), entries_(std::move(entries)) {}

  std::string directory_;
  // By names without extensions.
  std::map<std::string, Entry> entries_;
};

}  // namespace ns

#endif  // NS_REFERENCE_REFERENCE_FILES_H_
