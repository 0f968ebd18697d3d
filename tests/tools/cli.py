"""Runs the command line tool for the tests: base class and helpers."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import int8_ops

NS = os.path.abspath(os.environ['NS_BINARY'])
CASES = os.path.abspath(os.environ['NS_CASES'])
# Absent where libns_ops.so cannot be loaded into python.
OPS = os.path.abspath(os.environ.get('NS_OPS', 'libns_ops.so'))
TIMEOUT = 240

COMPARE = ('compare', '--float=net_float.pt', '--quantized=net_quantized.pt')


def environment(**changes):
  """The environment without what would change the tool's behaviour."""
  env = {key: value for key, value in os.environ.items()
         if key not in ('BUILD_WORKING_DIRECTORY', 'NO_COLOR')}
  env.update(changes)
  return env


def run(*arguments, cwd=CASES, env=None, stdout=subprocess.PIPE, shell=None):
  """Runs `ns` with standard output and error on pipes; returns the process.

  `shell` is the text of a shell that runs it as "$@"."""
  command = [NS, *arguments]
  if shell is not None:
    command = ['sh', '-c', shell, 'sh', *command]
  return subprocess.run(command, cwd=cwd, env=env or environment(),
                        stdin=subprocess.DEVNULL, stdout=stdout,
                        stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)


class CliTest(unittest.TestCase):
  """Has a folder of its own, `self.folder`; models are in CASES.

  Where a test uses torch, its random data are the same in every run."""

  maxDiff = None

  def setUp(self):
    torch = sys.modules.get('torch')
    if torch is not None:
      torch.manual_seed(1)
    self.folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
    self.addCleanup(shutil.rmtree, self.folder)

  def path(self, name):
    return os.path.join(self.folder, name)

  def succeed(self, *arguments, **options):
    """Standard output and standard error of a run that ends with 0.

    What `ns quantize` says runs in int8 does so in the file that it wrote."""
    report = None
    if arguments and int8_ops.is_checked(arguments):
      report = int8_ops.Report(arguments, options.get('cwd', CASES))
      arguments = (*arguments, *report.flags)
    process = run(*arguments, **options)
    error = process.stderr.decode()
    self.assertEqual(process.returncode, 0, error)
    output = process.stdout
    output = output.decode() if output is not None else None
    if report is not None:
      self.assertEqual(
          int8_ops.differences(report.read(output),
                               int8_ops.ops_in(report.out)), [])
    return output, error

  def fail_with(self, code, *arguments, names=(), **options):
    """Asserts status `code`, nothing on standard output, and one line on
    standard error that holds each of `names`; returns the line."""
    process = run(*arguments, **options)
    error = process.stderr.decode(errors='replace')
    self.assertEqual(process.returncode, code, error)
    self.assertEqual(process.stdout or b'', b'')
    self.assertTrue(error.startswith('ns: '), error)
    self.assertTrue(error.endswith('\n'), error)
    self.assertEqual(len(error.splitlines()), 1, error)
    self.assertNotRegex(error[:-1], '[\x00-\x1f]')
    self.assertNotRegex(error, r'0x[0-9a-f]{8}|frame #|Exception raised')
    for name in [names] if isinstance(names, str) else names:
      self.assertIn(name, error)
    return error

  def json(self, *arguments, **options):
    """What --json=- prints for `arguments`."""
    output, _ = self.succeed(*arguments, '--json=-', **options)
    # Infinities are strings, so no bare NaN or Infinity may occur.
    return json.loads(output, parse_constant=self.fail)

  def layers(self, *arguments, **options):
    return {layer['name']: layer
            for layer in self.json(*arguments, **options)['layers']}
