"""Models of torchvision, with seeded random weights."""

import copy

import torch
import torchvision

import common


def resnet18_eager() -> common.ModelPair:
  """The model of the eager numeric suite tutorial: its float side is fused."""
  model = torchvision.models.quantization.resnet18(
      weights=None, quantize=False)
  common.settle_norms(model, _calibration())
  fused = copy.deepcopy(model)
  fused.fuse_model(is_qat=False)
  return common.static_eager_pair(
      fused, lambda _: None, _calibration(), _batches())


def resnet18_fx() -> common.ModelPair:
  return _fx(torchvision.models.resnet18(weights=None))


def mobilenet_v2_fx() -> common.ModelPair:
  return _fx(torchvision.models.mobilenet_v2(weights=None))


def _fx(model: torch.nn.Module) -> common.ModelPair:
  common.settle_norms(model, _calibration())
  return common.fx_pair(model, _calibration(), _batches())


def _calibration() -> list:
  return [common.images(2) for _ in range(2)]


def _batches() -> list:
  # Of different sizes: pooled figures are not the mean of those of batches.
  return [common.images(2), common.images(1)]


MODELS = {
    'resnet18_eager': resnet18_eager,
    'resnet18_fx': resnet18_fx,
    'mobilenet_v2_fx': mobilenet_v2_fx,
}
