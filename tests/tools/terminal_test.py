"""The progress bar and colours are for terminals."""

import os
import pty
import subprocess
import unittest

import cli

WITH_INPUTS = (*cli.COMPARE, '--inputs=images.pt,more_images.pt')
BAR = b'batch 5 of 5'
ESCAPE = b'\x1b['
# 6 dB of the perturbed layer are red.
RED = ('compare', '--float=net_float.pt', '--quantized=net_perturbed.pt',
       '--inputs=images.pt')


def read_all(descriptor):
  """What was written to a terminal until all writers closed it."""
  data = b''
  while True:
    try:
      block = os.read(descriptor, 65536)
    except OSError:  # EIO: the other side is closed.
      return data
    if not block:
      return data
    data += block


class TerminalTest(cli.CliTest):

  def run_on(self, *arguments, terminals, env=None):
    """Bytes on standard output and error, those in `terminals` on a pty."""
    pipes = {}
    for name in ('stdout', 'stderr'):
      pipes[name] = pty.openpty() if name in terminals else os.pipe()
    process = subprocess.Popen(
        [cli.NS, *arguments], cwd=cli.CASES, env=env or cli.environment(),
        stdin=subprocess.DEVNULL,
        **{name: ends[1] for name, ends in pipes.items()})
    for ends in pipes.values():
      os.close(ends[1])
    # Both fit the buffers, so one after the other does not block the tool.
    output, error = (read_all(pipes[name][0]) for name in ('stdout', 'stderr'))
    for ends in pipes.values():
      os.close(ends[0])
    self.assertEqual(process.wait(timeout=cli.TIMEOUT), 0, error)
    return output, error

  def test_the_bar_appears_on_a_terminal_and_wipes_itself(self):
    _, error = self.run_on(*WITH_INPUTS, terminals=('stderr',))
    self.assertIn(BAR, error)
    self.assertTrue(error.endswith(b'\r\x1b[K'), error)

  def test_the_bar_does_not_appear_on_a_pipe(self):
    for terminals in ((), ('stdout',)):
      _, error = self.run_on(*WITH_INPUTS, terminals=terminals)
      self.assertEqual(error, b'')

  def test_quantize_counts_all_runs_of_batches(self):
    _, error = self.run_on(
        'quantize', '--float=net_float.pt', '--inputs=images.pt',
        f'--out={self.path("q.pt")}', terminals=('stderr',))
    self.assertIn(b'batch 15 of 15', error)

  def test_the_bar_does_not_appear_when_quiet(self):
    output, error = self.run_on(*WITH_INPUTS, '--quiet',
                                terminals=('stdout', 'stderr'))
    self.assertEqual((output, error), (b'', b''))

  def test_the_bar_leaves_json_on_standard_output_alone(self):
    on_terminal, _ = self.run_on(*WITH_INPUTS, '--json=-',
                                 terminals=('stderr',))
    self.assertEqual(on_terminal.decode(),
                     self.succeed(*WITH_INPUTS, '--json=-')[0])

  def test_colours_appear_on_a_terminal(self):
    output, _ = self.run_on(*RED, terminals=('stdout',))
    self.assertIn(b'\x1b[31m', output)

  def test_colours_do_not_appear_on_a_pipe(self):
    output, _ = self.run_on(*RED, terminals=('stderr',))
    self.assertNotIn(ESCAPE, output)

  def test_no_color_turns_colours_off(self):
    output, _ = self.run_on(*RED, terminals=('stdout',),
                            env=cli.environment(NO_COLOR='1'))
    self.assertNotIn(ESCAPE, output)
    self.assertIn(b'fc', output)

  def test_an_empty_no_color_means_colour(self):
    output, _ = self.run_on(*RED, terminals=('stdout',),
                            env=cli.environment(NO_COLOR=''))
    self.assertIn(ESCAPE, output)

  def test_json_on_a_terminal_has_no_colours(self):
    output, _ = self.run_on(*RED, '--json=-', terminals=('stdout',))
    self.assertNotIn(ESCAPE, output)


if __name__ == '__main__':
  unittest.main()
