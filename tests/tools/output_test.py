"""Outputs that cannot be written, and what is left where they should be."""

import os
import subprocess
import unittest

import cli

MATCH = ('match', *cli.COMPARE[1:])
SENSITIVITY = ('sensitivity', '--float=net_float.pt', '--inputs=images.pt')
# Every way in which something is printed; `lower` needs an output file, too.
PRINTING = [
    (*command, *flags)
    for command in (cli.COMPARE, MATCH, SENSITIVITY)
    for flags in ((), ('--json=-',))
] + [(*cli.COMPARE, '--csv=-'), ('help',), ('help', 'compare'), ('--version',)]
# Half of a model, in blocks of 512 bytes.
LITTLE_ROOM = 'ulimit -f 8; exec "$@"'


class OutputTest(cli.CliTest):

  def lower(self):
    return ('lower', '--in=net_quantized.pt', f'--out={self.path("out.pt")}')

  def quantize(self):
    return ('quantize', '--float=net_float.pt', '--inputs=images.pt',
            f'--out={self.path("int8.pt")}',
            f'--prepared={self.path("observed.pt")}')

  def instrument(self):
    return ('instrument', *cli.COMPARE[1:], f'--out-float={self.path("f.pt")}',
            f'--out-quantized={self.path("q.pt")}')

  def write(self, name, text='old'):
    with open(self.path(name), 'w', encoding='utf-8') as file:
      file.write(text)

  def read(self, name):
    with open(self.path(name), 'rb') as file:
      return file.read()

  def files(self):
    return sorted(os.listdir(self.folder))


class StandardOutputTest(OutputTest):

  def test_a_full_device_is_no_success(self):
    with open('/dev/full', 'wb') as full:
      for command in (*PRINTING, self.lower(), self.quantize()):
        with self.subTest(command):
          self.fail_with(3, *command, stdout=full, names='standard output')

  def test_closed_standard_output_is_no_success(self):
    for command in (*PRINTING, self.lower(), self.quantize()):
      with self.subTest(command):
        self.fail_with(3, *command, shell='exec "$@" >&-',
                       names='standard output')

  def test_what_prints_nothing_needs_no_standard_output(self):
    for shell in ('exec "$@" >&-', 'exec "$@" >/dev/full'):
      self.succeed(*cli.COMPARE, '--quiet', f'--json={self.path("a.json")}',
                   shell=shell)
      self.assertTrue(self.read('a.json').startswith(b'{'))

  def test_closed_streams_do_not_reach_files(self):
    self.succeed(*cli.COMPARE, '--quiet', f'--json={self.path("a.json")}')
    cli.run(*cli.COMPARE, f'--json={self.path("b.json")}',
            shell='exec "$@" <&- >&- 2>&-')
    self.assertEqual(self.read('a.json'), self.read('b.json'))

  def test_a_reader_that_left_ends_it_as_it_ends_others(self):
    process = subprocess.run(
        ['bash', '-c', '"$@" | true; exit ${PIPESTATUS[0]}', 'bash', cli.NS,
         'help', 'compare'], capture_output=True, check=False)
    self.assertIn(process.returncode, (0, 128 + 13), process.stderr)
    self.assertEqual(process.stderr, b'')


class FullDiskTest(OutputTest):

  def refuse(self, *command, names):
    before = {name: self.read(name) for name in self.files()}
    self.fail_with(3, *command, shell=LITTLE_ROOM,
                   names=(*names, 'File too large', 'room'))
    self.assertEqual({name: self.read(name) for name in self.files()}, before)

  def test_lower_leaves_nothing(self):
    self.refuse(*self.lower(), names=(self.path('out.pt'),))

  def test_quantize_leaves_nothing(self):
    self.refuse(*self.quantize(), names=(self.folder,))

  def test_instrument_leaves_nothing(self):
    self.refuse(*self.instrument(), names=(self.folder,))

  def test_old_files_stay(self):
    for name in ('out.pt', 'f.pt', 'q.pt', 'int8.pt', 'observed.pt'):
      self.write(name)
    self.refuse(*self.lower(), names=())
    self.refuse(*self.quantize(), names=())
    self.refuse(*self.instrument(), names=())

  def test_reports_leave_nothing(self):
    shell = 'ulimit -f 1; exec "$@"'
    for flag in ('json', 'csv'):
      self.fail_with(3, *cli.COMPARE, '--inputs=images.pt', '--quiet',
                     f'--{flag}={self.path("report")}', shell=shell,
                     names=(self.path('report'), 'room'))
      self.assertEqual(self.files(), [])


class TogetherTest(OutputTest):
  """Of several outputs, all or none are there afterwards."""

  def reports(self):
    return [f'--{flag}={self.path(flag)}' for flag in ('json', 'csv', 'html')]

  def test_a_page_without_room_leaves_no_other_report(self):
    self.write('json')
    # Room for everything but the page.
    self.fail_with(3, *cli.COMPARE, '--quiet', *self.reports(),
                   shell='ulimit -f 100; exec "$@"',
                   names=(self.path('html') + ':', 'room'))
    self.assertEqual(self.files(), ['json'])
    self.assertEqual(self.read('json'), b'old')
    self.succeed(*cli.COMPARE, '--quiet', *self.reports())
    self.assertEqual(self.files(), ['csv', 'html', 'json'])

  def test_standard_output_without_room_leaves_no_file(self):
    files = (f'--out={self.path("out.pt")}',
             f'--emit-qconfig={self.path("qconfig.json")}', '--json=-')
    commands = (
        (*self.quantize(), *files[1:]),
        ('search', '--float=net_float.pt', '--inputs=images.pt',
         '--budget=20dB', *files),
        (*cli.COMPARE, f'--csv={self.path("csv")}', '--json=-'))
    for command in commands:
      with self.subTest(command[0]):
        process = cli.run(*command, shell='exec "$@" >/dev/full')
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertEqual(self.files(), [])

  def test_a_qconfig_that_cannot_be_written_leaves_no_model(self):
    command = (*self.quantize(), f'--emit-qconfig={self.path("gone/q.json")}')
    self.fail_with(3, *command, names='gone')
    self.assertEqual(self.files(), [])


class LinkTest(OutputTest):

  def test_links_stay_and_their_targets_are_written(self):
    os.mkdir(self.path('results'))
    commands = {
        'json': (*cli.COMPARE, '--quiet', '--json={}'),
        'csv': (*cli.COMPARE, '--quiet', '--csv={}'),
        'lowered': ('lower', '--in=net_quantized.pt', '--quiet', '--out={}'),
        'float': ('instrument', *cli.COMPARE[1:], '--out-float={}',
                  f'--out-quantized={self.path("q.pt")}'),
    }
    for name, command in commands.items():
      with self.subTest(name):
        os.symlink(os.path.join('results', name), self.path(name))
        for _ in range(2):  # The target is not there yet, then it is.
          self.succeed(*(word.format(self.path(name)) for word in command))
          self.assertTrue(os.path.islink(self.path(name)))
          self.assertGreater(len(self.read(os.path.join('results', name))), 9)
    self.assertEqual(sorted(os.listdir(self.path('results'))),
                     sorted(commands))

  def test_two_links_to_one_file_are_one_output(self):
    for name in ('a', 'b'):
      os.symlink('target', self.path(name))
    self.fail_with(2, *cli.COMPARE, f'--json={self.path("a")}',
                   f'--csv={self.path("b")}', names='overwrite')


class KilledTest(OutputTest):

  def test_what_killed_runs_left_is_removed(self):
    with subprocess.Popen(['true']) as process:
      pass
    dead = f'.{process.pid}.tmp'
    kept = ['f.pt', f'other.pt.{process.pid}.tmp', 'out.pt',
            f'out.pt.{os.getpid()}.tmp', 'q.pt', 'report']
    for name in ('out.pt', 'f.pt', 'q.pt', 'report'):
      self.write(name + dead)
    self.write(kept[1])
    self.write(kept[3])
    self.succeed(*self.lower())
    self.succeed(*self.instrument())
    self.succeed(*cli.COMPARE, f'--json={self.path("report")}')
    self.assertEqual(self.files(), kept)


if __name__ == '__main__':
  unittest.main()
