"""Small models of each architecture of torchvision, with random weights.

Depth and width are reduced where the constructors allow it. The more random
layers stand one after the other, the more of any noise they make."""

from functools import partial

import torch
from torch import nn
from torchvision import models
from torchvision.models import convnext
from torchvision.models import densenet
from torchvision.models import efficientnet
from torchvision.models import maxvit
from torchvision.models import mobilenetv3
from torchvision.models import regnet
from torchvision.models import resnet
from torchvision.models import segmentation
from torchvision.models import shufflenetv2
from torchvision.models import swin_transformer as swin
from torchvision.models import video
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.segmentation import deeplabv3
from torchvision.models.segmentation import lraspp
from torchvision.models.video import resnet as video_resnet

CLASSES = {'weights': None, 'num_classes': 10}


def residual(block, **options):
  return resnet.ResNet(block, [1, 1, 1, 1], num_classes=10, **options)


def mobilenet_v2():
  return models.MobileNetV2(10, 0.35, [[1, 16, 1, 1], [6, 24, 2, 2],
                                       [6, 32, 1, 2], [6, 64, 1, 2]])


def mobilenet_v3(last=64):
  block = partial(mobilenetv3.InvertedResidualConfig, width_mult=1.0)
  return mobilenetv3.MobileNetV3(
      [block(16, 3, 16, 16, True, 'RE', 2, 1),
       block(16, 3, 48, 24, False, 'RE', 2, 1),
       block(24, 5, 64, 40, True, 'HS', 2, 1),
       block(40, 5, 96, 48, True, 'HS', 2, 1)], last, num_classes=10)


def mnasnet():
  model = models.mnasnet0_5(**CLASSES)
  for i in range(8, 14):
    model.layers[i] = model.layers[i][:1]
  return model


def inception_v3():
  model = models.inception_v3(weights=None, num_classes=10, aux_logits=False,
                              init_weights=False)
  for name in ('Mixed_6c', 'Mixed_6d', 'Mixed_6e', 'Mixed_7c'):
    setattr(model, name, nn.Identity())
  return model


def googlenet():
  model = models.googlenet(weights=None, num_classes=10, aux_logits=False,
                           init_weights=False)
  for name in ('inception4b', 'inception4c', 'inception5a'):
    setattr(model, name, nn.Identity())
  return model


def efficient(version):
  wide = partial(efficientnet.MBConvConfig)
  fused = partial(efficientnet.FusedMBConvConfig)
  if version == 1:
    blocks = [wide(1, 3, 1, 32, 16, 1), wide(6, 3, 2, 16, 24, 1),
              wide(6, 5, 2, 24, 40, 1), wide(6, 3, 2, 40, 80, 1)]
  else:
    blocks = [fused(1, 3, 1, 24, 24, 1), fused(4, 3, 2, 24, 48, 1),
              wide(4, 3, 2, 48, 64, 2), wide(6, 3, 1, 64, 80, 1)]
  return efficientnet.EfficientNet(blocks, 0.2, num_classes=10,
                                   last_channel=128)


def regular(**options):
  return regnet.RegNet(regnet.BlockParams.from_init_params(
      depth=6, w_0=24, w_a=36, w_m=2.5, group_width=8, **options), 10)


def shifted_windows(**options):
  return swin.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4],
                              num_classes=10, **options)


def fcn():
  backbone = IntermediateLayerGetter(
      residual(resnet.Bottleneck,
               replace_stride_with_dilation=[False, True, True]),
      {'layer4': 'out', 'layer3': 'aux'})
  return segmentation.FCN(backbone, segmentation.fcn.FCNHead(2048, 5),
                          segmentation.fcn.FCNHead(1024, 5))


def clips(block, convolutions, stem):
  return video_resnet.VideoResNet(block, convolutions, [1, 1, 1, 1], stem, 6)


def s3d():
  model = video.S3D(num_classes=6)
  model.features = model.features[:7]
  model.avgpool = nn.AvgPool3d(1)  # For smaller images.
  model.classifier[1] = nn.Conv3d(480, 6, 1)
  return model


def vgg():
  model = models.VGG(
      models.vgg.make_layers([16, 'M', 32, 'M', 64, 64, 'M'], True), 10, False)
  model.classifier[0] = nn.Linear(64 * 7 * 7, 128)
  model.classifier[3] = nn.Linear(128, 64)
  model.classifier[6] = nn.Linear(64, 10)
  return model


class Logits(nn.Module):
  """Of a model that returns a named tuple when it is scripted."""

  def __init__(self, model):
    super().__init__()
    self.model = model

  def forward(self, x):
    return self.model(x)[0]


IMAGE = (64, 64)
CLIP = (4, 32, 32)
SIMPLE = video_resnet.Conv3DSimple

# Name: how it is made, and the size of its images or clips.
MODELS = {
    'alexnet': (lambda: models.alexnet(**CLASSES), IMAGE),
    'convnext': (lambda: convnext.ConvNeXt(
        [convnext.CNBlockConfig(24, 48, 1), convnext.CNBlockConfig(48, 96, 1),
         convnext.CNBlockConfig(96, None, 1)], layer_scale=0.5,
        num_classes=10), IMAGE),
    'deeplabv3': (lambda: deeplabv3._deeplabv3_mobilenetv3(
        mobilenet_v3(), 5, aux=True), IMAGE),
    'densenet': (lambda: densenet.DenseNet(8, (2, 2, 2, 2), 16,
                                           num_classes=10), IMAGE),
    'efficientnet': (lambda: efficient(1), IMAGE),
    'efficientnet_v2': (lambda: efficient(2), IMAGE),
    'fcn': (fcn, IMAGE),
    'googlenet': (googlenet, IMAGE),
    'inception_v3': (inception_v3, (75, 75)),
    'lraspp': (lambda: lraspp._lraspp_mobilenetv3(mobilenet_v3(), 5), IMAGE),
    'maxvit': (lambda: maxvit.MaxVit((64, 64), 16, 4, [16, 32], [1, 1], 8, 0.0,
                                     num_classes=10), IMAGE),
    'mc3': (lambda: clips(video_resnet.BasicBlock,
                          [SIMPLE] + [video_resnet.Conv3DNoTemporal] * 3,
                          video_resnet.BasicStem), CLIP),
    'mnasnet': (mnasnet, IMAGE),
    'mobilenet_v2': (mobilenet_v2, IMAGE),
    'mobilenet_v3': (mobilenet_v3, IMAGE),
    'r2plus1d': (lambda: clips(video_resnet.BasicBlock,
                               [video_resnet.Conv2Plus1D] * 4,
                               video_resnet.R2Plus1dStem), CLIP),
    'r3d': (lambda: clips(video_resnet.BasicBlock, [SIMPLE] * 4,
                          video_resnet.BasicStem), CLIP),
    'regnet_x': (regular, IMAGE),
    'regnet_y': (lambda: regular(se_ratio=0.25), IMAGE),
    'resnet_basic': (lambda: residual(resnet.BasicBlock), IMAGE),
    'resnet_bottleneck': (lambda: residual(resnet.Bottleneck), IMAGE),
    'resnext': (lambda: residual(resnet.Bottleneck, groups=32,
                                 width_per_group=4), IMAGE),
    's3d': (s3d, (16, 64, 64)),
    'shufflenet_v2': (lambda: shufflenetv2.ShuffleNetV2(
        [2, 2, 2], [24, 48, 96, 192, 128], 10), IMAGE),
    'squeezenet1_0': (lambda: models.squeezenet1_0(**CLASSES), IMAGE),
    'squeezenet1_1': (lambda: models.squeezenet1_1(**CLASSES), IMAGE),
    'swin': (shifted_windows, IMAGE),
    'swin_v2': (lambda: shifted_windows(
        block=swin.SwinTransformerBlockV2,
        downsample_layer=swin.PatchMergingV2), IMAGE),
    'vgg_bn': (vgg, IMAGE),
    'wide_resnet': (lambda: residual(resnet.Bottleneck, width_per_group=128),
                    IMAGE),
}


def images(size, count, generator):
  """Coarse patterns and a little noise, as photographs have."""
  coarse = torch.rand((count, 3, *[max(2, n // 8) for n in size]),
                      generator=generator)
  mode = 'trilinear' if len(size) == 3 else 'bilinear'
  smooth = nn.functional.interpolate(coarse, size, mode=mode,
                                     align_corners=False)
  return smooth + 0.05 * torch.rand((count, 3, *size), generator=generator)


def make(name, batches=2):
  """A scripted model and its batches; batch norms know the images."""
  torch.manual_seed(1)
  generator = torch.Generator().manual_seed(1)
  function, size = MODELS[name]
  model = function()
  for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
      module.momentum = None  # The mean over all batches.
      module.reset_running_stats()
  model.train()
  with torch.no_grad():
    for _ in range(2):
      model(images(size, 4, generator))
  if name in ('googlenet', 'inception_v3'):
    model = Logits(torch.jit.script(model.eval()))
  return (torch.jit.script(model.eval()),
          [images(size, 2, generator) for _ in range(batches)])
