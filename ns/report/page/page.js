// Starts the page: reads the embedded JSON and draws the parts into it. What
// the server wrote (verdict, unmatched ops) stays as it is, the table of layers
// makes place for the one that scrolls.
(function (page) {
  'use strict';
  const {html, render} = htmPreact;
  const {store} = page;

  // A new element for a part, before or behind `place`.
  function mount(where, place, id, label) {
    const element = document.createElement(id ? 'section' : 'div');
    if (id) {
      element.id = id;
      element.setAttribute('aria-label', label);
    }
    place[where](element);
    return element;
  }

  function hasSqnr(rows) {
    return rows.some((row) => ['activation.sqnr_db', 'shadow.sqnr_db',
                               'weight.sqnr_db'].some((key) => row.has(key)));
  }

  // Links to the parts, in their order on the page.
  function addContents(heading) {
    const contents = document.createElement('nav');
    contents.id = 'contents';
    contents.setAttribute('aria-label', 'Parts of the report');
    for (const section of document.querySelectorAll('#page > section,' +
                                                    '#page > div > section')) {
      const link = document.createElement('a');
      link.href = '#' + section.id;
      link.textContent = section.getAttribute('aria-label');
      contents.append(link);
    }
    heading.after(contents);
  }

  // Checksums are long: they are cut, and whole when pointed at. Limits and
  // scores have a part of their own.
  function tidyFacts(heading, report) {
    for (const fact of heading.querySelectorAll('dd')) {
      fact.title = fact.textContent;
      const name = fact.previousElementSibling?.textContent || '';
      if ((report.limits && name === 'Limit') ||
          (report.scores && name.startsWith('Score '))) {
        fact.parentElement.remove();
      }
    }
  }

  const SERIES = [
    {key: 'activation.sqnr_db', label: 'Activation', ink: '--series-1',
     dash: []},
    {key: 'shadow.sqnr_db', label: 'Shadow', ink: '--series-2', dash: [7, 3]},
    {key: 'weight.sqnr_db', label: 'Weight', ink: '--series-3', dash: [2, 3]},
  ];
  const SERIES_HINT = html`<b>Activation</b>: each model on its own values, so
    errors add up. <b>Shadow</b>: the layer alone, on the quantized model\u2019s
    inputs.`;
  const FILTER_EXAMPLES = ['conv', 'sqnr<25', 'op:relu', 'shadow>=40',
                           'weight=exact', 'clip>0.1%', '-name:downsample'];

  function startComparison(report) {
    const heading = document.getElementById('heading');
    const verdict = document.getElementById('verdict');
    const layers = document.getElementById('layers');
    const rows = report.layers.map(page.rowOf);
    store.set({report, rows, columns: page.columnsOf(rows), isComparison: true,
               series: SERIES, chartHint: SERIES_HINT,
               filterExamples: FILTER_EXAMPLES,
               layout: report.graph ? page.readEmbedded('layout') : null});
    tidyFacts(heading, report);
    document.getElementById('second-data')?.remove();
    render(html`<${page.Comparison} />`, mount('before', verdict));
    render(html`<${page.Accuracy} /><${page.Scores} /><${page.SecondData} />
        <${page.Limits} /><${page.Times} />`, mount('before', layers));
    if (hasSqnr(rows)) {
      render(html`<${page.Chart} />`, mount('before', layers, 'chart',
          'Chart'));
    }
    let place = layers;
    if (store.state.layout) {
      place = mount('after', layers, 'graph', 'Graph');
      render(html`<${page.Graph} />`, place);
    }
    render(html`<${page.Coverage} />`, mount('after', place));
    render(html`<${page.Lists} />`,
        mount('append', document.getElementById('page')));
  }

  function startView(report, view) {
    const layers = document.getElementById('layers');
    store.set({report: {...report, layers: view.layers}, rows: view.rows,
               columns: page.columnsOf(view.rows, view.known),
               series: view.series || [], chartHint: view.chartHint || '',
               heat: view.heat || null, filterExamples: view.examples});
    if (view.series) {
      render(html`<${page.Chart} />`, mount('before', layers, 'chart',
          'Chart'));
    }
    if (view.chart) {
      render(html`<${view.chart} report=${report} />`,
          mount('before', layers));
    }
    render(html`<${page.ViewLists} view=${view} report=${report} />`,
        mount('append', document.getElementById('page')));
  }

  // `view` is undefined for a comparison.
  function start(report, view) {
    const heading = document.getElementById('heading');
    const verdict = document.getElementById('verdict');
    const layers = document.getElementById('layers');
    if (view) startView(report, view);
    else startComparison(report);
    render(html`<${page.Toolbar} />`, mount('append', heading));
    layers.replaceChildren();
    render(html`<${page.LayerTable} />`, layers);
    for (const part of [page.Panel, page.Keys]) {
      const place = document.createElement('div');
      document.body.append(place);
      render(html`<${part} />`, place);
    }
    addContents(heading);
    if (!view) page.linkLayers(verdict, report);
    compareWithEarlier();
    page.addCopyButtons(verdict);
    page.followLinks();
  }

  // The page of ns diff has the earlier report in it.
  function compareWithEarlier() {
    const earlier = document.getElementById('earlier');
    if (!earlier) return;
    const path = document.getElementById('earlier-path').value;
    try {
      page.compareWith(page.parseReport(earlier.textContent, path), path);
    } catch (problem) {
      store.set({message: problem.message});
    }
  }

  // Names of layers in the verdict's sentences open them.
  page.linkLayers = function (verdict, report) {
    const name = page.at(report, 'verdict', 'layer') ||
        page.at(report, 'worst_offender', 'name');
    if (!name) return;
    for (const paragraph of verdict.querySelectorAll('p')) {
      const text = paragraph.textContent;
      const at = text.indexOf(name);
      if (at < 0) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'link mono';
      button.textContent = name;
      button.addEventListener('click', () => page.openLayer(name));
      paragraph.replaceChildren(
          text.slice(0, at), button, text.slice(at + name.length));
      return;
    }
  };

  function followSystem() {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    store.set({dark: dark.matches});
    dark.addEventListener('change', () => store.set({dark: dark.matches}));
    // Paper is light and has all rows.
    let theme = 'auto';
    addEventListener('beforeprint', () => {
      theme = store.state.theme;
      page.setTheme('light');
      store.set({printing: true});
    });
    addEventListener('afterprint', () => {
      page.setTheme(theme);
      store.set({printing: false});
    });
  }

  const report = page.readEmbedded('report');
  const view = report ? page.viewOf(report) : undefined;
  if (view || (report && report.schema === 'ns.compare/1')) {
    followSystem();
    start(report, view);
  }
  document.documentElement.setAttribute('data-ready', '');
})(globalThis.nsPage = globalThis.nsPage || {});
