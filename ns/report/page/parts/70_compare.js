// "Compare with": an earlier JSON (or an earlier page of this kind), dropped in
// or chosen. Figures become differences; layers that only one has are listed.
(function (page) {
  'use strict';
  const {html, useEffect, useRef, useState} = htmPreact;

  const SCHEMA = 'ns.compare/1';

  // The text of the JSON in a file, which may be a page with an embedded one.
  // DOMParser runs no scripts and loads nothing.
  function jsonText(text) {
    if (!/^\s*<!doctype/i.test(text)) return text;
    const parsed = new DOMParser().parseFromString(text, 'text/html');
    const element = parsed.getElementById('report');
    return element ? element.textContent : '';
  }

  // The report in a file's text; throws an Error that says what is wrong.
  page.parseReport = function (text, name) {
    let report;
    try {
      report = JSON.parse(jsonText(text));
    } catch (problem) {
      throw new Error(`${name}: not JSON, or cut off (${problem.message}); ` +
          `choose what 'ns compare --json=PATH' wrote`);
    }
    const schema = page.at(report, 'schema');
    if (schema !== SCHEMA) {
      throw new Error(`${name}: schema ${JSON.stringify(schema) || 'missing'}` +
          `, not "${SCHEMA}"; choose what 'ns compare --json=PATH' wrote`);
    }
    if (!Array.isArray(report.layers) || !report.layers.every(
        (layer) => typeof page.at(layer, 'name') === 'string')) {
      throw new Error(`${name}: has no list of layers with names; choose ` +
          `what 'ns compare --json=PATH' wrote`);
    }
    return report;
  };

  // Makes `report` what figures are compared with.
  page.compareWith = function (report, label) {
    const rows = new Map(report.layers.map(
        (layer, index) => [layer.name, page.rowOf(layer, index)]));
    const names = page.store.state.report.layers.map((layer) => layer.name);
    if (!names.some((name) => rows.has(name))) {
      throw new Error(`${label}: no layer has a name of this report's; it is ` +
          `of another model`);
    }
    page.store.set({baseline: {label, report, rows}, differences: true,
                    message: null});
  };

  page.readFile = async function (file) {
    try {
      page.compareWith(page.parseReport(await file.text(), file.name),
          file.name);
    } catch (problem) {
      page.store.set({message: problem.message});
    }
  };

  // Saves the embedded JSON, byte for byte as it stands in the page.
  function save() {
    const text = document.getElementById('report').textContent;
    page.saveBlob(new Blob([text], {type: 'application/json'}),
                  page.stem() + '.json');
  }

  const THEMES = {auto: 'dark', dark: 'light', light: 'auto'};

  page.setTheme = function (theme) {
    const root = document.documentElement;
    if (theme === 'auto') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', theme);
    page.store.set({theme});
  };

  page.Toolbar = function () {
    const state = page.useStore();
    const input = useRef(null);
    const [over, setOver] = useState(false);
    useEffect(() => {
      const files = (event) =>
        [...event.dataTransfer.types].includes('Files');
      if (!state.isComparison) return undefined;
      const dragover = (event) => {
        if (!files(event)) return;
        event.preventDefault();
        setOver(true);
      };
      const dragleave = (event) => {
        if (event.relatedTarget === null) setOver(false);
      };
      const drop = (event) => {
        if (!files(event)) return;
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer.files.length > 0) {
          page.readFile(event.dataTransfer.files[0]);
        }
      };
      addEventListener('dragover', dragover);
      addEventListener('dragleave', dragleave);
      addEventListener('drop', drop);
      return () => {
        removeEventListener('dragover', dragover);
        removeEventListener('dragleave', dragleave);
        removeEventListener('drop', drop);
      };
    }, []);
    return html`<div class="toolbar">
      ${state.isComparison && html`<button type="button" id="compare"
        onClick=${() => input.current.click()}
        title="An earlier --json or --html; or drop it anywhere on the page">
        Compare with\u2026</button>`}
      <input type="file" id="compare-file" ref=${input} class="hidden"
        accept=".json,.html" tabindex="-1" aria-label="Earlier report"
        onChange=${(event) => {
          const [file] = event.target.files;
          if (file) page.readFile(file);
          event.target.value = '';
        }} />
      <button type="button" id="save" onClick=${save}>Save JSON</button>
      <button type="button" id="theme"
        onClick=${() => page.setTheme(THEMES[state.theme])}>
        Theme: ${state.theme}</button>
      <button type="button" id="show-keys" aria-label="Keys" onClick=${() =>
        document.getElementById('keys').showModal()}>?</button>
      ${over && html`<div class="drop">Drop an earlier report to compare with
        </div>`}
    </div>`;
  };

  function Names({title, names}) {
    if (names.length === 0) return null;
    return html`<details open=${names.length <= 12}>
      <summary>${title}: ${names.length}</summary>
      <ul class="names">${names.map((name) => html`<li key=${name}
        class="mono">${name}</li>`)}</ul></details>`;
  }

  // What the last action came to, and what the two reports do not share.
  page.Comparison = function () {
    const {baseline, message, report, differences} = page.useStore();
    const here = new Set(report.layers.map((layer) => layer.name));
    const common = baseline ?
        [...here].filter((name) => baseline.rows.has(name)).length : 0;
    return html`<div role="status" id="message">
      ${message && html`<p class="notice bad">
        <span>${message}</span>
        <button type="button" onClick=${() =>
          page.store.set({message: null})}>Dismiss</button></p>`}
      ${baseline && html`<p class="notice">
        <span>Compared with <b>${baseline.label}</b>: ${common} layers in
          common.</span>
        <label><input type="checkbox" id="differences" checked=${differences}
          onChange=${() => page.store.set({differences: !differences})} />
          Show differences</label>
        <button type="button" id="compare-end" onClick=${() =>
          page.store.set({baseline: null, message: null})}>End comparison
        </button></p>`}
      ${baseline && html`<${Names} title="Layers only in this report"
        names=${[...here].filter((name) => !baseline.rows.has(name))} />
        <${Names} title=${'Layers only in ' + baseline.label}
        names=${[...baseline.rows.keys()].filter((name) => !here.has(name))}
        />`}
    </div>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});
