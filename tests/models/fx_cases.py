#!/usr/bin/python3
"""Writes the models of the FX numeric suite's acceptance list.

  /usr/bin/python3 tests/models/fx_cases.py --out=DIR [CASE...]

Each case has a folder with float.pt, prepared.pt (with observers or fake
quantization), quantized.pt, scripted where that is possible and traced where it is not, and
inputs.pt, a list of one batch.
"""

import copy
import dataclasses
import os
import sys
import warnings

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True
warnings.filterwarnings('ignore')

from typing import Any, Callable, Dict, Optional, Tuple

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx
from torch.ao.quantization.backend_config import BackendConfig
from torch.ao.quantization.backend_config.native import (
    get_test_only_legacy_native_backend_config)

try:
  from torch.ao.nn.intrinsic.qat.modules import conv_fused
except ImportError:  # before torch 2
  from torch.nn.intrinsic.qat.modules import conv_fused

import case_main
import common
import fx_case_models as models

SEED = 20221214


@dataclasses.dataclass
class Case:
  """A model, and how FX quantizes it.

  Attributes:
    model: makes the float model.
    inputs: makes the arguments of one call.
    mapping: which qconfigs; None for PyTorch's defaults for the engine.
    qat: prepare for training instead of calibration.
    opaque: the class of a submodule that FX does not look into.
    emulated: quantized.pt computes in float between casts, as PyTorch's
      reference form does; there are no kernels of half precision.
  """
  model: Callable[[], nn.Module]
  inputs: Callable[[], Tuple[Any, ...]]
  mapping: Optional[Callable[[], tq.QConfigMapping]] = None
  qat: bool = False
  opaque: Optional[type] = None
  emulated: bool = False


def per_tensor() -> tq.QConfigMapping:
  return tq.QConfigMapping().set_global(tq.default_qconfig)


def trained() -> tq.QConfigMapping:
  return tq.QConfigMapping().set_global(tq.get_default_qat_qconfig('fbgemm'))


def half() -> tq.QConfigMapping:
  return tq.QConfigMapping().set_global(tq.float16_static_qconfig)


def dynamic(kind: type) -> Callable[[], tq.QConfigMapping]:
  return lambda: tq.QConfigMapping().set_object_type(
      kind, tq.default_dynamic_qconfig)


def float_conv2() -> tq.QConfigMapping:
  return common.default_mapping().set_module_name('conv2', None)


def normal(*shape: int) -> Callable[[], Tuple[torch.Tensor, ...]]:
  return lambda: (torch.randn(*shape),)


def two_normal(*shape: int) -> Callable[[], Tuple[torch.Tensor, ...]]:
  return lambda: (torch.randn(*shape), torch.randn(*shape))


def lstm_inputs() -> Tuple[Any, ...]:
  return torch.rand(3, 4, 2), (torch.rand(1, 4, 2), torch.rand(1, 4, 2))


def sparse_inputs() -> Tuple[Any, ...]:
  return (torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 4]),
          torch.randn(2, 4))


IMAGE = normal(4, 3, 6, 6)
ROWS = normal(8, 4)

CASES: Dict[str, Case] = {
    # One layer, or two.
    'conv': Case(lambda: nn.Sequential(models.conv()), IMAGE, per_tensor),
    'linear': Case(lambda: nn.Sequential(nn.Linear(4, 4)), ROWS, per_tensor),
    'linear_fun': Case(models.LinearFun, ROWS, per_tensor),
    'linear_relu_fun': Case(models.LinearReluFun, ROWS, per_tensor),
    'two_convs': Case(models.two_convs, IMAGE, per_tensor),
    'two_convs_qat': Case(models.two_convs, IMAGE, trained, qat=True),
    'two_convs_relu': Case(
        lambda: nn.Sequential(models.conv(), models.conv(), nn.ReLU()), IMAGE,
        per_tensor),
    'nested_convs': Case(
        lambda: nn.Sequential(nn.Sequential(models.conv()), models.conv()),
        IMAGE, per_tensor),
    'conv_linear': Case(
        lambda: nn.Sequential(models.conv(), nn.Linear(6, 6)), IMAGE,
        per_tensor),
    'convs_sigmoid': Case(
        lambda: nn.Sequential(models.conv(), models.conv(), nn.Sigmoid()),
        IMAGE),
    'stub_two_convs': Case(models.stub_two_convs, IMAGE),
    'stub_two_convs_qat': Case(models.stub_two_convs, IMAGE, trained,
                               qat=True),
    # Functions, operators and methods of tensors.
    'add_tensors': Case(models.AddTensors, two_normal(4), per_tensor),
    'adds_before_cat': Case(models.AddsBeforeCat, normal(4), per_tensor),
    'containers_out': Case(models.ContainersOut, normal(4), per_tensor),
    'mixed_types': Case(models.MixedTypes, IMAGE, float_conv2),
    'sigmoid_method': Case(models.SigmoidMethod, ROWS),
    'pool_relu': Case(models.PoolRelu, IMAGE),
    'relus': Case(models.Relus, ROWS),
    'add_mul': Case(models.AddMul, two_normal(4, 4)),
    'conv_cat': Case(models.ConvCat, IMAGE),
    'pairs_and_lists': Case(models.PairsAndLists, IMAGE),
    'keyword_lists': Case(models.KeywordLists, IMAGE),
    'layer_norm_of_shape': Case(models.LayerNormOfShape, IMAGE),
    'keyword_linear': Case(models.KeywordLinear, ROWS, tq.QConfigMapping),
    'pool_conv_reuse': Case(models.PoolConvReuse, IMAGE, per_tensor),
    # Every layer with weights.
    'fusions': Case(models.Fusions, normal(4, 2, 4), per_tensor),
    'fusions_qat': Case(models.Fusions, normal(4, 2, 4), trained, qat=True),
    'fusions_3d': Case(models.Fusions3d, normal(2, 2, 3, 3, 3), per_tensor),
    'fusions_3d_qat': Case(models.Fusions3d, normal(2, 2, 3, 3, 3), trained,
                           qat=True),
    'linears_fun': Case(models.LinearReluLinearFun, ROWS, per_tensor),
    'linears_fun_qat': Case(models.LinearReluLinearFun, ROWS, trained,
                            qat=True),
    'convs_fun': Case(models.ConvsFun, normal(2, 2, 4), per_tensor),
    'convs_fun_qat': Case(models.ConvsFun, normal(2, 2, 4), trained, qat=True),
    'convs_3d_fun': Case(models.Convs3dFun, normal(2, 2, 3, 3, 3), per_tensor),
    'convs_3d_fun_qat': Case(models.Convs3dFun, normal(2, 2, 3, 3, 3), trained,
                             qat=True),
    'linear_dynamic': Case(lambda: nn.Sequential(nn.Linear(4, 4)), ROWS,
                           dynamic(nn.Linear)),
    'lstm_dynamic': Case(models.LstmWithState, lstm_inputs, dynamic(nn.LSTM)),
    # Half precision.
    'linear_half': Case(models.LinearFun, ROWS, half, emulated=True),
    'linear_relu_half': Case(models.LinearReluFun, ROWS, half,
                             emulated=True),
    # Modules and functions of the user.
    'opaque_pair': Case(models.OpaquePair, ROWS, per_tensor,
                        opaque=models.Pair),
    'opaque_identity': Case(models.OpaqueIdentity, ROWS, per_tensor,
                            opaque=models.UserModule),
    'hardswish': Case(models.HardswishOp, ROWS),
    'user_hardswish': Case(models.UserHardswish, ROWS),
    'three_ops': Case(models.ThreeOps, ROWS),
    'user_three_ops': Case(models.UserThreeOps, ROWS),
    # PyTorch's own test models.
    'torch_conv': Case(lambda: models.torch_model('ConvModel'),
                       normal(2, 3, 5, 5)),
    'torch_conv_bn': Case(lambda: models.torch_model('ConvBnModel'),
                          normal(2, 3, 5, 5)),
    'torch_conv_bn_relu': Case(lambda: models.torch_model('ConvBnReLUModel'),
                               normal(2, 3, 5, 5)),
    'torch_linear': Case(lambda: models.torch_model('SingleLayerLinearModel'),
                         normal(5, 5)),
    'torch_linear_dynamic': Case(
        lambda: models.torch_model('SingleLayerLinearDynamicModel'),
        normal(5, 5), dynamic(nn.Linear)),
    'torch_sparse_nn': Case(lambda: models.torch_model('SparseNNModel'),
                            sparse_inputs),
    # Real networks, on small images.
    'resnet18': Case(lambda: models.vision_model('resnet18'),
                     normal(1, 3, 64, 64), per_tensor),
    'mobilenet_v2': Case(lambda: models.vision_model('mobilenet_v2'),
                         normal(1, 3, 64, 64), per_tensor),
    'mobilenet_v2_qat': Case(lambda: models.vision_model('mobilenet_v2'),
                             normal(2, 3, 64, 64), trained, qat=True),
}


def write(unused_name: str, case: Case, out: str) -> None:
  model = case.model()
  inputs = case.inputs()
  model.train(case.qat)
  # In evaluation, norms keep the statistics of the float model.
  prepared = prepare(case, model, inputs).eval()
  with torch.no_grad():
    for _ in range(2):
      prepared(*inputs)
  convert = (quantize_fx.convert_to_reference_fx if case.emulated
             else quantize_fx.convert_fx)
  quantized = convert(copy.deepcopy(prepared), backend_config=backend(case))
  for stem, module in (('float', model.eval()), ('prepared', prepared),
                       ('quantized', quantized)):
    torch_script(module, inputs).save(os.path.join(out, stem + '.pt'))
  torch.save([inputs], os.path.join(out, 'inputs.pt'))


def torch_script(module: nn.Module,
                 inputs: Tuple[Any, ...]) -> torch.jit.ScriptModule:
  # A convolution with batch norm that is being trained cannot be scripted.
  if any(isinstance(m, conv_fused._ConvBnNd) for m in module.modules()):
    return torch.jit.trace(module, inputs, check_trace=False)
  return torch.jit.script(module)


def prepare(case: Case, model: nn.Module,
            inputs: Tuple[Any, ...]) -> nn.Module:
  function = quantize_fx.prepare_qat_fx if case.qat else quantize_fx.prepare_fx
  custom = None
  if case.opaque:
    custom = {'non_traceable_module_class': [case.opaque]}
  mapping = case.mapping() if case.mapping else common.default_mapping()
  return function(copy.deepcopy(model), mapping, inputs,
                  prepare_custom_config=custom,
                  backend_config=backend(case))


def backend(case: Case) -> Optional[BackendConfig]:
  # Only this one has static half precision.
  if case.emulated:
    return get_test_only_legacy_native_backend_config()
  return None


if __name__ == '__main__':
  case_main.case_main(__doc__, CASES, SEED, write)
