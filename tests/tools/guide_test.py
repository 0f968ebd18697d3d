"""The commands of tools/docs/debugging.md, and of the skill for agents beside
it, print what the pages show."""

import os
import re
import subprocess
import unittest

import cli

TREE = os.getcwd()
GUIDE = 'tools/docs/debugging.md'
SKILL = 'tools/docs/skill/SKILL.md'
BLOCK = re.compile(r'^```(sh|text)\n(.*?)^```$', re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r'[-+]?\d+(?:\.\d+)?')
# Processors sum floats in different orders. With ONEDNN_MAX_CPU_ISA of AVX2 and
# of AVX512_CORE_VNNI, and ATEN_CPU_CAPABILITY of default, avx2 and avx512, no
# figure of the guide moved by more than 0.1 dB, and no share by more than a
# point. A few times that is allowed; of top-1, two of its 256 samples.
MOST_DB, MOST_SHARE, MOST_TOP_1 = 0.5, 4, 0.8


def blocks(page=GUIDE):
  """The commands of a page: the text of each block, and what is shown as its
  output, which may be nothing."""
  with open(os.path.join(TREE, page), encoding='utf-8') as file:
    text = file.read()
  found = []
  for kind, block in BLOCK.findall(text):
    if kind == 'sh':
      found.append((block, ''))
    else:
      found[-1] = (found[-1][0], block)
  return found


def tolerance(word, unit):
  """By how much the numbers of a word may differ."""
  unit = unit.strip('.,')
  if unit == 'dB':
    return MOST_DB
  if unit in ('%', 'points'):
    return MOST_TOP_1 if '.' in word else MOST_SHARE
  return 0


def is_like(shown, printed, most):
  """Whether a word is the printed one, but for numbers that are near it."""
  pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
  return (NUMBER.sub('#', shown) == NUMBER.sub('#', printed) and
          all(abs(float(a) - float(b)) <= most for a, b in pairs))


def find(shown, printed, start):
  """Where the words of `printed` like `shown` end, from `start` on; None where
  there are none. Where lines break does not matter."""
  units = shown[1:] + ['']
  for i in range(start, len(printed) - len(shown) + 1):
    if all(is_like(word, printed[i + j], tolerance(word, units[j]))
           for j, word in enumerate(shown)):
      return i + len(shown)
  return None


def missing(shown, printed):
  """The first part of `shown`, between lines of "...", that was not printed in
  this order; None where all was."""
  end = 0
  for part in re.split(r'(?m)^\.\.\.$', shown):
    end = find(part.split(), printed.split(), end)
    if end is None:
      return part
  return None


class GuideTest(cli.CliTest):

  def run_guide(self, commands, setup=''):
    """Runs all blocks in one shell, which keeps its variables and its folder;
    returns what each of them printed. `setup` is run before."""
    os.makedirs(self.path('bin'))
    # The tool has been built.
    with open(self.path('bin/bazel'), 'w', encoding='utf-8') as file:
      file.write('#!/bin/sh\n[ "$*" = "build -c opt //tools:ns" ]\n')
    os.chmod(self.path('bin/bazel'), 0o755)
    os.makedirs(self.path('bazel-bin/tools'))
    os.symlink(cli.NS, self.path('bazel-bin/tools/ns'))
    os.symlink(os.path.join(TREE, 'tools'), self.path('tools'))
    script = f'set -e\n{setup}\n' + ''.join(
        f'exec > {self.path(f"{i}.txt")} 2>&1\n{command}\n'
        for i, command in enumerate(commands))
    path = self.path('bin') + ':' + os.environ['PATH']
    process = subprocess.run(
        ['sh', '-c', script], cwd=self.folder, env=cli.environment(PATH=path),
        timeout=cli.TIMEOUT, check=False)
    outputs = []
    for i in range(len(commands)):
      if os.path.exists(self.path(f'{i}.txt')):
        with open(self.path(f'{i}.txt'), encoding='utf-8') as file:
          outputs.append(file.read())
    self.assertEqual(process.returncode, 0, outputs[-1])
    return outputs

  def check(self, page, least, setup=''):
    guide = blocks(page)
    self.assertGreater(sum(bool(shown) for _, shown in guide), least)
    outputs = self.run_guide([command for command, _ in guide], setup)
    for (command, shown), printed in zip(guide, outputs):
      self.assertIsNone(missing(shown, printed), f'{command}\n{printed}')

  def test_commands_of_the_skill_print_what_is_shown(self):
    self.check(SKILL, 2, setup=(
        'PATH=$PWD/bazel-bin/tools:$PATH\n'
        '/usr/bin/python3 tools/demo/make_detector.py --out=detector\n'
        'cd detector'))

  def test_commands_print_what_is_shown(self):
    self.check(GUIDE, 4)
    self.assertTrue(os.path.exists(self.path('mixed.pt')))
    self.assertTrue(os.path.exists(self.path('trained.pt')))

  def test_the_cure_of_the_guide_is_the_printed_one(self):
    commands = [command for command, _ in blocks()]
    shown = next(shown for command, shown in blocks() if 'verdict' in shown)
    cure = re.search(r'(?s)help .*?\n +(ns quantize .*?)\n +ns explain', shown)
    self.assertTrue(any(
        ' '.join(cure[1].split()) in command for command in commands))

  def test_other_output_is_told(self):
    printed = 'error  cat 57 %, boxes 29 %\nlowest  42.5 dB  output\n'
    self.assertIsNone(missing('error  cat 55 %,\n...\n42.3 dB output', printed))
    for shown in ('cat 50 %,', '41.5 dB', 'error dog 57 %,', '42.5 dB  outputs',
                  '42.5 dB\n...\ncat', '57 % and'):
      self.assertIsNotNone(missing(shown, printed), shown)

  def test_the_guide_is_short(self):
    with open(os.path.join(TREE, 'tools/docs/debugging.md'),
              encoding='utf-8') as file:
      self.assertLessEqual(len(file.readlines()), 120)


if __name__ == '__main__':
  unittest.main()
