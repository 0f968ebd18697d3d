// What a reader does with the page besides reading: copying commands, saving
// what is shown, keys, and links that open a layer.
(function (page) {
  'use strict';
  const {html, useEffect, useRef, useState} = htmPreact;

  // Saves `blob` as the file `name`.
  page.saveBlob = function (blob, name) {
    const url = URL.createObjectURL(blob);
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };

  // The name of the report without folders, for files that are made of it.
  page.stem = function () {
    const {report} = page.store.state;
    const path = report.quantized || report.out || report.float || '';
    return String(path).split(/[\\/]/).pop().replace(/\.pt$/, '')
        .replace(/[^\w.-]+/g, '_') || 'report';
  };

  // The rows and columns that are shown, as CSV.
  page.csvOf = function (rows, columns) {
    const quote = (text) => /[",\n\r]/.test(text) ?
        '"' + text.replace(/"/g, '""') + '"' : text;
    const cell = (value) => value === undefined ? '' :
        value === Infinity ? 'inf' : value === -Infinity ? '-inf' :
        String(value);
    return [columns.map((column) => column.key),
            ...rows.map((row) => columns.map(
                (column) => cell(page.shownValue(row, column))))]
        .map((line) => line.map(quote).join(',') + '\n').join('');
  };

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without permission, or in a page that is not of a file.
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
  }

  // A command with a button that copies it.
  page.Command = function ({text}) {
    const [copied, setCopied] = useState(false);
    return html`<div class="command"><pre tabindex="0">${text}</pre>
      <button type="button" class="copy" onClick=${async () => {
        await copy(text);
        setCopied(true);
        setTimeout(() => setCopied(false), 2000);
      }}>${copied ? 'Copied' : 'Copy'}</button></div>`;
  };

  // Gives the commands that came with the page their buttons.
  page.addCopyButtons = function (root) {
    for (const pre of root.querySelectorAll('.cure > pre')) {
      const place = document.createElement('div');
      const text = pre.textContent;
      pre.replaceWith(place);
      htmPreact.render(html`<${page.Command} text=${text} />`, place);
    }
  };

  const LINK = '#layer=';

  // The address of the page names the layer that is open, and opens it.
  page.followLinks = function () {
    const open = () => {
      if (!location.hash.startsWith(LINK)) return;
      let name = location.hash.slice(LINK.length);
      try {
        name = decodeURIComponent(name);
      } catch {
        return;
      }
      if (page.indexOfLayer(name) >= 0) page.openLayer(name);
    };
    open();
    addEventListener('hashchange', open);
    let shown = page.store.state.layer;
    page.store.subscribe(() => {
      const {layer} = page.store.state;
      if (layer === shown) return;
      shown = layer;
      history.replaceState(null, '', layer === null ?
          location.pathname + location.search :
          LINK + encodeURIComponent(layer));
    });
  };

  const KEYS = [
    ['/', 'go to the filter'],
    ['\u2191 \u2193, Page Up, Page Down', 'move in the table'],
    ['Enter', 'open the layer at the cursor'],
    ['Escape', 'close the layer, or this list'],
    ['\u2190 \u2192, + \u2212, 0', 'move, zoom and reset the chart, once it ' +
        'has the focus'],
    ['?', 'this list'],
  ];

  // The list of keys, which `?` opens.
  page.Keys = function () {
    const dialog = useRef(null);
    useEffect(() => {
      const act = (event) => {
        const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
        if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.key === '/') {
          document.getElementById('filter')?.focus();
          event.preventDefault();
        } else if (event.key === '?') {
          dialog.current.showModal();
        }
      };
      addEventListener('keydown', act);
      return () => removeEventListener('keydown', act);
    }, []);
    return html`<dialog id="keys" ref=${dialog} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="facts">${KEYS.map(([key, text]) => html`<div key=${key}>
        <dt class="mono">${key}</dt><dd>${text}</dd></div>`)}</dl>
      <form method="dialog"><button>Close</button></form>
    </dialog>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});
