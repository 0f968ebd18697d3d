#!/usr/bin/python3
"""Trains the networks that quantization is proven on, and writes images.

  make_networks.py --out=DIR --train=residual,vit   DIR/residual.pt and so on
  make_networks.py --out=DIR                        batches of images: see below
  make_networks.py --out=DIR --images=256           and images.pt, labels.pt

calibration.pt has 16 batches of 32 training images, test.pt and test_labels.pt
all 10,000 test images in batches of 100, and images.pt and labels.pt the first
of them in batches of 32. Seeds are fixed; the networks are in networks.py.
"""

import argparse
import os
import sys
import time
from typing import List, NamedTuple

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(
    os.path.dirname(os.path.abspath(__file__)), '..', 'demo'))

import torch
from torch import nn
from torch.nn import functional as F

from make_qat_demo import DATA, accuracy, batches_of, read_split
from networks import NETWORKS, depthwise_spreads

SEED = 20261125
TRAIN_BATCH, WEIGHT_DECAY = 128, 5e-4
TRANSFORMER_WEIGHT_DECAY = 0.05
CALIBRATION_BATCHES, SAVED_BATCH, TEST_BATCH = 16, 32, 100


class Recipe(NamedTuple):
  """How a network is trained."""
  epochs: int
  rate: float
  # Trained by SGD, on images that are mirrored at random. A transformer is by
  # AdamW on images as they are: it needs more epochs to gain by mirrored ones.
  is_convolutional: bool


RECIPES = {
    'residual': Recipe(8, 0.2, True),
    'mobile_v2': Recipe(6, 0.2, True),
    'mobile_v3': Recipe(8, 0.2, True),
    'vit': Recipe(7, 3e-3, False),
}


def optimizer_for(model: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
  """Vectors, such as the scales of norms, do not decay."""
  groups = [{'params': [p for p in model.parameters() if p.dim() > 1]},
            {'params': [p for p in model.parameters() if p.dim() <= 1],
             'weight_decay': 0.0}]
  if recipe.is_convolutional:
    return torch.optim.SGD(groups, recipe.rate, momentum=0.9, nesterov=True,
                           weight_decay=WEIGHT_DECAY)
  return torch.optim.AdamW(groups, recipe.rate,
                           weight_decay=TRANSFORMER_WEIGHT_DECAY)


def mirrored_at_random(batch: torch.Tensor) -> torch.Tensor:
  is_mirrored = torch.rand(len(batch), 1, 1, 1) < 0.5
  return torch.where(is_mirrored, batch.flip(3), batch)


def train(name: str, model: nn.Module, images: torch.Tensor,
          labels: torch.Tensor) -> None:
  recipe = RECIPES[name]
  # Twice as fast in depthwise convolutions.
  model.to(memory_format=torch.channels_last)
  optimizer = optimizer_for(model, recipe)
  steps = len(images) // TRAIN_BATCH
  schedule = torch.optim.lr_scheduler.OneCycleLR(
      optimizer, recipe.rate, total_steps=recipe.epochs * steps, pct_start=0.25)
  start = time.time()
  for epoch in range(recipe.epochs):
    order = torch.randperm(len(images))
    for step in range(steps):
      chosen = order[step * TRAIN_BATCH:(step + 1) * TRAIN_BATCH]
      batch = images[chosen]
      if recipe.is_convolutional:
        batch = mirrored_at_random(batch)
      loss = F.cross_entropy(model(batch), labels[chosen])
      optimizer.zero_grad()
      loss.backward()
      optimizer.step()
      schedule.step()
    print(f'{name}: epoch {epoch + 1} of {recipe.epochs}, loss {loss:.3f}, '
          f'{time.time() - start:.0f} s', file=sys.stderr, flush=True)
  model.to(memory_format=torch.contiguous_format).eval()


def calibration_batches(images: torch.Tensor,
                        draw: int = 0) -> List[torch.Tensor]:
  """Training images to calibrate with, the same on every call. No image is in
  two draws."""
  order = torch.randperm(len(images),
                         generator=torch.Generator().manual_seed(SEED))
  count = CALIBRATION_BATCHES * SAVED_BATCH
  return batches_of(images[order[draw * count:(draw + 1) * count]],
                    SAVED_BATCH)


def make_network(name: str, path: str, images: torch.Tensor,
                 labels: torch.Tensor) -> None:
  torch.manual_seed(SEED)
  model = NETWORKS[name]()
  train(name, model, images, labels)
  torch.jit.script(model).save(path)


def describe(path: str, images: torch.Tensor, labels: torch.Tensor) -> None:
  """Prints what a saved network is."""
  model = torch.jit.load(path)
  count = sum(p.numel() for p in model.parameters())
  print(f'{path}: {accuracy(path, images, labels):.2%} of the test images, '
        f'{count:,} parameters, {os.path.getsize(path):,} bytes')
  for layer, spread in depthwise_spreads(model.state_dict()).items():
    print(f'  {layer}: ranges of its channels are apart by {spread:.0f}')
  sys.stdout.flush()


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--data', default=DATA, metavar='DIR',
                      help='folder of the four idx files, plain or .gz')
  parser.add_argument('--out', required=True, metavar='DIR')
  parser.add_argument('--train', default='', metavar='NETWORKS')
  parser.add_argument('--images', type=int, default=0, metavar='N')
  args = parser.parse_args()

  torch.set_num_threads(1)
  os.makedirs(args.out, exist_ok=True)
  def out(name: str) -> str:
    return os.path.join(args.out, name + '.pt')
  images, labels = read_split(args.data, 'train')
  test_images, test_labels = read_split(args.data, 't10k')
  if args.train:
    for name in args.train.split(','):
      make_network(name, out(name), images, labels)
      describe(out(name), test_images, test_labels)
    return
  torch.save(calibration_batches(images), out('calibration'))
  torch.save(batches_of(test_images, TEST_BATCH), out('test'))
  torch.save(batches_of(test_labels, TEST_BATCH), out('test_labels'))
  if args.images:
    first = slice(0, args.images)
    torch.save(batches_of(test_images[first], SAVED_BATCH), out('images'))
    torch.save(batches_of(test_labels[first], SAVED_BATCH), out('labels'))


if __name__ == '__main__':
  main()
