"""Drives Debian's Chromium for the tests of the HTML report."""

import base64
import json
import os
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WAIT_SECONDS = 10
# Schemes of the browser's own pages, such as its new tab, which load resources
# at times of their own. Requests of the page under test come from `file:`.
BROWSER_PAGES = ('chrome:', 'chrome-untrusted:', 'chrome-search:',
                 'chrome-extension:', 'devtools:')
SWITCHES = (
    '--headless=new',
    # The pages are ours, and containers run tests as root.
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-gpu',
    '--disable-background-networking',
    '--no-first-run',
    '--force-device-scale-factor=1',
    '--window-size=1280,900',
)


class Browser:
  """One Chromium for many pages; `folder` is where it may write."""

  def __init__(self, folder):
    self.downloads = os.path.join(folder, 'downloads')
    os.makedirs(self.downloads)
    options = Options()
    options.binary_location = '/usr/bin/chromium'
    for switch in SWITCHES:
      options.add_argument(switch)
    options.add_argument('--user-data-dir=' +
                         tempfile.mkdtemp(dir=folder, prefix='profile'))
    options.add_experimental_option(
        'prefs', {'download.default_directory': self.downloads,
                  'download.prompt_for_download': False})
    options.set_capability('goog:loggingPrefs',
                           {'browser': 'ALL', 'performance': 'ALL'})
    options.set_capability('unhandledPromptBehavior', 'ignore')
    env = dict(os.environ, HOME=folder, XDG_CONFIG_HOME=folder,
               XDG_CACHE_HOME=folder)
    self.driver = webdriver.Chrome(
        service=Service('/usr/bin/chromedriver', env=env), options=options)
    # Leave the browser's new tab page, which keeps loading parts of itself.
    self.driver.get('about:blank')

  def quit(self):
    self.driver.quit()

  def open(self, path):
    """Opens a file and waits until its scripts are done."""
    self.console()
    self.driver.get_log('performance')
    self.driver.get('file://' + os.path.abspath(path))

  def console(self):
    """Messages on the console since the last call, and uncaught errors."""
    return [entry['message'] for entry in self.driver.get_log('browser')]

  def requests(self):
    """Addresses that pages other than the browser's own requested since the
    last call."""
    addresses = []
    for entry in self.driver.get_log('performance'):
      message = json.loads(entry['message'])['message']
      request = message['params']
      if (message['method'] == 'Network.requestWillBeSent' and
          not request['documentURL'].startswith(BROWSER_PAGES)):
        addresses.append(request['request']['url'])
    return addresses

  def run(self, script, *arguments):
    return self.driver.execute_script(script, *arguments)

  def run_async(self, script, *arguments):
    """`script` calls `done(result)`."""
    self.driver.set_script_timeout(30)
    return self.driver.execute_async_script(
        'const done = arguments[arguments.length - 1];' + script, *arguments)

  def command(self, name, **parameters):
    return self.driver.execute_cdp_cmd(name, parameters)

  def find(self, selector):
    return self.driver.find_element(By.CSS_SELECTOR, selector)

  def all(self, selector):
    return self.driver.find_elements(By.CSS_SELECTOR, selector)

  def texts(self, selector):
    """Text of all elements, as the document has it (not as it is drawn)."""
    return self.run('return [...document.querySelectorAll(arguments[0])]'
                    '.map((element) => element.textContent)', selector)

  def click(self, selector):
    """A click of the mouse in the middle of an element; also for SVG."""
    self.run('document.querySelector(arguments[0]).scrollIntoView('
             "{block: 'center', behavior: 'instant'})", selector)
    self.settle()
    box = self.run('const box = document.querySelector(arguments[0])'
                   '.getBoundingClientRect();'
                   'return [box.x + box.width / 2, box.y + box.height / 2]',
                   selector)
    for kind in ('mouseMoved', 'mousePressed', 'mouseReleased'):
      self.command('Input.dispatchMouseEvent', type=kind, x=box[0], y=box[1],
                   button='none' if kind == 'mouseMoved' else 'left',
                   clickCount=0 if kind == 'mouseMoved' else 1)
    self.settle()

  def drag(self, points):
    """Presses the button at the first point and lets go at the last."""
    kinds = (['mousePressed'] + ['mouseMoved'] * (len(points) - 2) +
             ['mouseReleased'])
    self.command('Input.dispatchMouseEvent', type='mouseMoved',
                 x=points[0][0], y=points[0][1])
    for kind, (x, y) in zip(kinds, points):
      self.command('Input.dispatchMouseEvent', type=kind, x=x, y=y,
                   button='left', buttons=1, clickCount=1)
    self.settle()

  def focus(self, selector):
    self.run('document.querySelector(arguments[0]).focus()', selector)

  def press(self, *keys):
    """Keys to whatever has the focus: letters, or names as ARROW_DOWN."""
    for key in keys:
      self.driver.switch_to.active_element.send_keys(
          getattr(Keys, key) if len(key) > 1 else key)
    self.settle()

  def settle(self):
    """Waits until what was asked for is drawn."""
    self.run_async('requestAnimationFrame(() => setTimeout(done, 0))')

  def wait_for(self, condition, what):
    """Waits until `condition()` holds."""
    end = time.monotonic() + WAIT_SECONDS
    while not condition():
      if time.monotonic() > end:
        raise AssertionError(f'waited in vain for {what}')
      time.sleep(0.02)

  def dark(self, dark):
    self.command('Emulation.setEmulatedMedia', features=[
        {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
    self.settle()

  def pdf(self):
    return base64.b64decode(
        self.command('Page.printToPDF', printBackground=True)['data'])
