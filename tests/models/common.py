"""What all test models share: the pair of models, their data, their recipes."""

import copy
import dataclasses
from typing import Any, Callable, Dict, FrozenSet, List, Optional

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx

ENGINE = 'onednn'
# The observers and ranges of the default users deploy with, run on an engine
# that this LibTorch has.
QCONFIG_BACKEND = 'fbgemm'


@dataclasses.dataclass
class ModelPair:
  """A float model, the quantized one made of it, and how to compare them.

  Attributes:
    float_model: what is saved as float.pt.
    quantized_model: what is saved as quantized.pt.
    batches: sample inputs; a tensor, a tuple or a dict of strings each.
    reference_float: float model in the form the reference suite wants (FX:
      fused and observed; eager: fused). Computes the same as float_model.
    suite: 'fx', 'eager' or 'none'.
    traceable: whether torch.jit.trace records what the model does.
    freeze: save frozen modules, which have no names.
    looped: paths of modules called in a loop of the scripted model; their
      calls are trips of one layer, not layers of their own.
  """
  float_model: nn.Module
  quantized_model: nn.Module
  batches: List[Any]
  reference_float: nn.Module
  suite: str
  traceable: bool = True
  freeze: bool = False
  looped: FrozenSet[str] = frozenset()


def call(model: Callable[..., Any], batch: Any) -> Any:
  """Runs `model` on a batch as the command line tool would."""
  if isinstance(batch, dict):
    return model(**batch)
  if isinstance(batch, tuple):
    return model(*batch)
  return model(batch)


def positional(batch: Any) -> tuple:
  """The batch as positional arguments; a dict is in order of the signature."""
  if isinstance(batch, dict):
    return tuple(batch.values())
  return batch if isinstance(batch, tuple) else (batch,)


def images(batch: int, channels: int = 3, size: int = 224) -> torch.Tensor:
  """Random images: smooth blobs and noise, with mean 0 and deviation 1.

  White noise alone averages out in the first layers, and would leave
  activations much narrower than those of photographs.
  """
  coarse = torch.randn(batch, channels, max(size // 16, 2), max(size // 16, 2))
  smooth = nn.functional.interpolate(
      coarse, size=(size, size), mode='bilinear', align_corners=False)
  image = smooth + 0.3 * torch.randn(batch, channels, size, size)
  return ((image - image.mean()) / image.std()).clamp(-2.2, 2.7)


def settle_norms(model: nn.Module, batches: List[Any]) -> nn.Module:
  """Gives norms the look of trained ones, so that folding them matters.

  Affine parameters are random; running statistics are those of `batches`, as
  arbitrary ones would make activations of deep models vanish or explode.
  """
  norms = (nn.modules.batchnorm._BatchNorm,
           nn.modules.instancenorm._InstanceNorm, nn.LayerNorm, nn.GroupNorm)
  momenta = {}
  for module in model.modules():
    if not isinstance(module, norms):
      continue
    if module.weight is not None:
      nn.init.uniform_(module.weight, 0.6, 1.4)
      nn.init.normal_(module.bias, std=0.2)
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
      module.reset_running_stats()
      momenta[module] = module.momentum
      module.momentum = None  # None averages over all batches alike.
  if momenta:
    model.train()
    with torch.no_grad():
      for batch in batches:
        call(model, batch)
  for module, momentum in momenta.items():
    module.momentum = momentum
  return model.eval()


def default_mapping() -> tq.QConfigMapping:
  return tq.get_default_qconfig_mapping(QCONFIG_BACKEND)


def calibrate(model: nn.Module, batches: List[Any]) -> None:
  with torch.no_grad():
    for batch in batches:
      call(model, batch)


def fx_pair(model: nn.Module, calibration: List[Any],
                   batches: List[Any],
                   mapping: Optional[tq.QConfigMapping] = None,
                   **options: Any) -> ModelPair:
  """Post-training quantization in FX graph mode, static unless mapped so."""
  model.eval()
  prepared = quantize_fx.prepare_fx(
      copy.deepcopy(model), mapping or default_mapping(),
      positional(calibration[0]))
  calibrate(prepared, calibration)
  converted = quantize_fx.convert_fx(copy.deepcopy(prepared))
  return ModelPair(model, converted, batches, prepared, 'fx', **options)


def static_eager_pair(model: nn.Module, fuse: Callable[[nn.Module], None],
                      calibration: List[Any], batches: List[Any],
                      **options: Any) -> ModelPair:
  """Post-training static quantization in eager mode; `fuse` works in place."""
  fused = copy.deepcopy(model.eval())
  fuse(fused)
  prepared = copy.deepcopy(fused)
  prepared.qconfig = options.pop(
      'qconfig', tq.get_default_qconfig(QCONFIG_BACKEND))
  tq.prepare(prepared, inplace=True)
  calibrate(prepared, calibration)
  converted = tq.convert(prepared)
  suite = options.pop('suite', 'eager')
  return ModelPair(model, converted, batches, fused, suite, **options)


def dynamic_pair(model: nn.Module, types: Dict[type, Any], batches: List[Any],
                 suite: str, **options: Any) -> ModelPair:
  """Dynamic quantization of the modules of the given types."""
  model.eval()
  quantized = tq.quantize_dynamic(model, types, dtype=torch.qint8)
  return ModelPair(model, quantized, batches, model, suite, **options)
