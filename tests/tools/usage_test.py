"""Help, and what wrong usage gets: status 2 and one line naming the flag."""

import re
import shlex
import subprocess
import unittest

import cli

# Those that take two models.
PAIR_COMMANDS = ('compare', 'match', 'instrument')
COMMANDS = (*PAIR_COMMANDS, 'sensitivity', 'quantize', 'report', 'export',
            'repro')
PAIR = cli.COMPARE[1:]


class HelpTest(cli.CliTest):

  def test_help_lists_every_command(self):
    for arguments in (['help'], ['--help'], ['-h']):
      output, error = self.succeed(*arguments)
      self.assertEqual(error, '')
      for command in (*COMMANDS, 'help'):
        self.assertRegex(output, rf'(?m)^  {command}\s')

  def test_each_command_has_three_ways_to_its_help(self):
    for command in COMMANDS:
      output, _ = self.succeed('help', command)
      self.assertTrue(output.startswith(f'usage: ns {command} '), output)
      self.assertEqual(self.succeed(command, '--help')[0], output)
      self.assertEqual(self.succeed(command, '--json=x', '-h')[0], output)

  def test_help_names_every_flag_of_the_contract(self):
    output, _ = self.succeed('help', 'compare')
    for flag in ('float', 'quantized', 'inputs', 'what', 'max-batches',
                 'matching', 'json', 'csv', 'html', 'sort', 'threads', 'engine',
                 'quiet'):
      self.assertRegex(output, rf'(?m)^  --{flag}\b')

  def test_examples_use_flags_that_exist(self):
    for command in COMMANDS:
      output, _ = self.succeed('help', command)
      example = shlex.split(output.split('example:\n')[1])
      self.assertEqual(example[:2], ['ns', command])
      for flag in example[2:]:
        if flag.startswith('--'):
          self.assertIn('  ' + flag.split('=')[0], output.split('example:')[0])

  def test_examples_under_bazel_run_it(self):
    env = cli.environment(BUILD_WORKING_DIRECTORY=self.folder)
    output, _ = self.succeed('help', 'match', env=env)
    self.assertIn('  bazel run -c opt //tools:ns -- match tools/demo/float.pt',
                  output)

  def test_help_fits_eighty_columns(self):
    for command in COMMANDS:
      output, _ = self.succeed('help', command)
      flags = output.split('\n\n', 2)[2].split('example:')[0]
      for line in flags.splitlines():
        if line.startswith('  --') or line.startswith(' ' * 8):
          self.assertLessEqual(len(line), 80, line)

  def test_man_pages_have_every_flag(self):
    for command in COMMANDS:
      page, _ = self.succeed('help', command, '--man')
      self.assertIn(f'.SH NAME\nns\\-{command} ', page)
      text, _ = self.succeed('help', command)
      for flag in re.findall(r'(?m)^  --([a-z-]+)', text):
        self.assertIn('.B \\-\\-' + flag.replace('-', '\\-'), page)

  def test_bash_completes_commands_flags_and_files(self):
    script, _ = self.succeed('completion', 'bash')
    with open(self.path('ns.bash'), 'w') as file:
      file.write(script)
    with open(self.path('model.pt'), 'w'):
      pass

    def complete(*words):
      text = ('source ./ns.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));'
              ' _ns; printf "%s\\n" "${COMPREPLY[@]}"')
      output = subprocess.run(['bash', '-c', text, 'bash', 'ns', *words],
                              cwd=self.folder, capture_output=True, check=True)
      return output.stdout.decode().split()

    self.assertEqual(complete('comp'), ['compare', 'completion'])
    self.assertEqual(complete('help', 'sens'), ['sensitivity'])
    self.assertEqual(complete('completion', 'z'), ['zsh'])
    self.assertEqual(complete('compare', '--max-o'), ['--max-output-drop='])
    self.assertEqual(complete('compare', '--qui'), ['--quiet'])
    self.assertEqual(complete('compare', 'mod'), ['model.pt'])
    self.assertIn('model.pt', complete('compare', '--float', '='))

  def test_completion_names_the_shells_it_knows(self):
    for arguments in ((), ('fish',), ('bash', 'zsh')):
      self.fail_with(2, 'completion', *arguments, names=('bash', 'zsh'))

  def test_version_names_what_computes(self):
    output, _ = self.succeed('--version')
    self.assertRegex(
        output, r'\Ans \d+\.\d+\.\d+\nLibTorch \d+\.\d+\.\d+.*, engines: '
        r'(\w+, )*\w+\nns kernels: [a-z0-9_]+\n\Z')
    engines = re.search('engines: (.+)', output).group(1).split(', ')
    self.assertIn('onednn', engines)


class UnknownTest(cli.CliTest):

  def test_no_command_gets_a_short_usage(self):
    process = cli.run()
    self.assertEqual(process.returncode, 2)
    lines = process.stderr.decode().splitlines()
    self.assertEqual(lines[0], 'usage: ns COMMAND [FILES] [--flag=value ...]')
    for command in COMMANDS:
      self.assertIn(command, lines[-1])

  def test_unknown_command_gets_the_nearest(self):
    self.fail_with(2, 'comapre', names=("'comapre'", 'mean compare?'))
    self.fail_with(2, 'help', 'quantise', names=("'quantise'", 'quantize?'))

  def test_unknown_command_far_from_all_lists_the_commands(self):
    self.fail_with(2, 'frobnicate', names=("'frobnicate'", *COMMANDS))
    self.fail_with(2, '', names=COMMANDS)

  def test_unknown_flag_gets_a_suggestion(self):
    self.fail_with(2, *cli.COMPARE, '--input=a',
                   names=('--input;', 'mean --inputs?'))
    self.fail_with(2, 'compare', '--flaot=a', names=('--flaot', '--float?'))

  def test_unknown_flag_far_from_all_points_to_help(self):
    self.fail_with(2, *cli.COMPARE, '--frobnicate',
                   names=('--frobnicate', 'ns help compare'))

  def test_flags_of_another_command_are_unknown(self):
    self.fail_with(2, 'match', *PAIR, '--inputs=x', names='--inputs')
    self.fail_with(2, *cli.COMPARE, '--out-float=x', names='--out-float')

  def test_positional_arguments_beyond_those_of_the_command_are_refused(self):
    self.fail_with(2, 'match', *PAIR, 'images.pt', names="'images.pt'")
    self.fail_with(2, *cli.COMPARE, '-quiet', names="'-quiet'")

  def test_files_need_no_flags(self):
    by_flags, _ = self.succeed(*cli.COMPARE, '--inputs=images.pt')
    self.assertEqual(
        self.succeed('compare', 'net_float.pt', 'net_quantized.pt',
                     'images.pt')[0], by_flags)
    self.assertEqual(
        self.succeed('compare', 'net_float.pt', '--inputs', 'images.pt',
                     'net_quantized.pt', '--sort', 'graph')[0], by_flags)

  def test_control_characters_do_not_reach_the_terminal(self):
    self.fail_with(2, 'a\rb\x1b[31mc\nd')
    self.fail_with(2, *cli.COMPARE, '--sort=a\rb\x1b[31m', names='--sort')


class FlagTest(cli.CliTest):

  def wrong(self, *flags, names):
    self.fail_with(2, *cli.COMPARE, *flags, names=names)

  def test_both_models_are_required(self):
    for command in PAIR_COMMANDS:
      self.fail_with(2, command, names='--float')
      self.fail_with(2, command, '--float=net_float.pt', names='--quantized')
      self.fail_with(2, command, '--float=', PAIR[1], names='--float')

  def test_instrument_requires_both_outputs(self):
    self.fail_with(2, 'instrument', *PAIR, names='--out-float')
    self.fail_with(2, 'instrument', *PAIR, '--out-float=/nowhere/a',
                   names='--out-quantized')

  def test_instrument_refuses_one_file_for_both(self):
    a = self.path('a.pt')
    self.fail_with(2, 'instrument', *PAIR, f'--out-float={a}',
                   f'--out-quantized={a}', names='--out-quantized')

  def test_numbers_are_whole_and_at_least_one(self):
    for flag in ('--max-batches', '--threads'):
      for value in ('0', '-1', '1.5', '2x', '', 'all', '1e3',
                    '99999999999999999999'):
        self.wrong(f'{flag}={value}', names=flag)

  def test_threads_beyond_all_sense_are_refused(self):
    # These wrapped to 1, or started a hundred thousand threads.
    for value in ('100000', '2147483648', '4294967297'):
      self.wrong(f'--threads={value}', names='--threads')

  def test_a_flag_given_twice_is_refused(self):
    self.wrong('--float=net_float.pt', names='--float')
    self.wrong('--quiet', '--quiet', names='--quiet')

  def test_values_are_there_or_not_as_declared(self):
    self.wrong('--quiet=1', names='--quiet')
    self.wrong('--json', names='--json')
    self.wrong('--json=', names='--json=PATH')
    self.wrong('--save-activations=', names='--save-activations')
    self.wrong('--csv=', names='--csv')
    self.wrong('--inputs=', names='--inputs')
    self.wrong('--inputs=images.pt,', names='--inputs')

  def test_choices_name_what_is_allowed(self):
    self.wrong('--sort=size', names=('--sort=size', 'graph', 'error'))
    self.wrong('--matching=loose', names=('--matching', 'aligned', 'strict'))
    self.wrong('--engine=cudnn', names=('--engine', 'onednn', 'qnnpack'))
    self.wrong('--what=biases', names=('--what', 'weights', 'activations'))
    self.wrong('--what=', names='--what')
    self.wrong('--what=weights,', names='--what')

  def test_top_is_a_number_and_an_order(self):
    self.wrong('--top=0', names='--top=0')
    self.wrong('--top=3', '--sort=graph', names=('--top', '--sort=graph'))

  def test_what_is_run_needs_inputs(self):
    for what in ('activations', 'shadows'):
      self.wrong(f'--what=weights,{what}', names=(f'--what={what}', '--inputs'))

  def test_standard_output_takes_one_report(self):
    self.wrong('--json=-', '--csv=-', names=('--json', '--csv'))

  def test_instrument_names_the_output_it_lacks(self):
    self.fail_with(2, 'instrument', *PAIR, '--out-quantized=b',
                   names='--out-float')
    self.fail_with(2, 'instrument', *PAIR, '--what=shadows', '--out-float=a',
                   names='--out-quantized')

  def test_usage_is_checked_before_files(self):
    self.fail_with(2, 'compare', '--float=missing.pt', '--quantized=no.pt',
                   '--sort=size', names='--sort')


if __name__ == '__main__':
  unittest.main()
