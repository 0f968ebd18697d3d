#!/usr/bin/env python3
"""Finds links of Markdown pages that lead nowhere.

  tools/lint_links.py [--help]

Checks each link to a file of this tree, and each to a heading, of all pages
that git tracks. Prints a line for each that leads nowhere; the status is 1 if
there is one."""

import os
import re
import subprocess
import sys

LINK = re.compile(r'\]\(([^()\s]+)\)')
ELSEWHERE = re.compile(r'[a-z]+:')


def text_of(path):
  """The page without its code blocks. Code spans keep their text, as they do in
  headings, but no brackets."""
  with open(path, encoding='utf-8') as file:
    text = file.read()
  text = re.sub(r'(?ms)^```.*?^```', '', text)
  return re.sub(r'`[^`\n]*`',
                lambda span: re.sub(r'[`\[\]()]', '', span[0]), text)


def anchors(path):
  """The anchors of the page's headings, as GitHub makes them."""
  found = set()
  for heading in re.findall(r'(?m)^#{1,6} (.*)$', text_of(path)):
    heading = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).strip().lower()
    anchor = re.sub(r'[^\w\- ]', '', heading).replace(' ', '-')
    name, count = anchor, 0
    while name in found:
      count += 1
      name = f'{anchor}-{count}'
    found.add(name)
  return found


def wrong_links(page):
  """The links of the page that lead nowhere."""
  wrong = []
  for link in LINK.findall(text_of(page)):
    if ELSEWHERE.match(link):
      continue
    path, _, anchor = link.partition('#')
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)
                              if path else page)
    if not os.path.exists(target):
      wrong.append(link)
    elif anchor and (not target.endswith('.md')
                     or anchor not in anchors(target)):
      wrong.append(link)
  return wrong


def main():
  if len(sys.argv) > 1:
    print(__doc__)
    return 0 if sys.argv[1] in ('-h', '--help') else 2
  pages = subprocess.run(['git', 'ls-files', '--', '*.md'], check=True,
                         stdout=subprocess.PIPE).stdout.decode().split()
  status = 0
  for page in pages:
    if not os.path.exists(page):
      continue
    for link in wrong_links(page):
      print(f'{page}: {link} leads nowhere')
      status = 1
  return status


if __name__ == '__main__':
  sys.exit(main())
