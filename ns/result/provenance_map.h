// Maps Provenance to JSON (ir/json/json_map.h).
#ifndef NS_RESULT_PROVENANCE_MAP_H_
#define NS_RESULT_PROVENANCE_MAP_H_

#include "ir/json/json_map.h"
#include "ns/result/provenance.h"

namespace ns {

template <typename Io>
void Map(Io& io, Provenance::File& file) {
  io("path", file.path);
  io("sha256", file.sha256);
}

template <typename Io>
void Map(Io& io, Provenance& provenance) {
  io("tool", provenance.tool);
  io("command", provenance.command);
  io("libtorch", provenance.libtorch);
  io("engine", provenance.engine);
  io("processor", provenance.processor);
  io("files", provenance.files);
}

}  // namespace ns

#endif  // NS_RESULT_PROVENANCE_MAP_H_
