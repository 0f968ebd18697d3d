// What the pages of ns quantize, sensitivity and search show: the rows of their
// tables, charts and lists.
//
// A view is made of a report: {layers, rows, known, series, chartHint, heat,
// examples, lists}. `known` is as in 05_columns.js; `lists` is a component.
(function (page) {
  'use strict';
  const {html} = htmPreact;

  const number = (value, unit) => page.format(page.number(value), unit);
  const shortOp = (op) => String(op || '').replace(/^.*::/, '');

  // A row with the leaves of `layer`; its op without its namespace.
  const rowOf = (layer, index) =>
    page.rowOf({...layer, op: shortOp(layer.op)}, index);

  function quantizeView(report) {
    const gains = new Map();
    for (const {layer, kept, sqnr_db_with: after, sqnr_db_without: before} of
        report.tried || []) {
      const gain = page.number(after) - page.number(before);
      if (kept && Number.isFinite(gain)) {
        gains.set(layer, (gains.get(layer) || 0) + gain);
      }
    }
    const layers = [
      ...report.layers.map((layer) => ({...layer, runs_in: 'int8'})),
      ...(report.stayed_float || []).map(
          (layer) => ({...layer, runs_in: 'float'}))];
    const rows = layers.map((layer, index) => {
      const row = rowOf(layer, index);
      const scales = page.at(layer, 'weight', 'scales');
      if (Array.isArray(scales)) {
        row.set('weight.scale', Math.max(...scales.map(page.number)));
      }
      const [input] = layer.inputs || [];
      if (input) {
        row.set('input.scale', page.number(input.scale));
        row.set('input.zero_point', page.number(input.zero_point));
      }
      if (gains.has(layer.name)) row.set('gain_db', gains.get(layer.name));
      return row;
    });
    return {
      layers, rows,
      known: [
        ['index', '#', ['order']],
        ['name', 'layer', ['layer']],
        ['op', 'op', []],
        ['runs_in', 'runs in', ['runs']],
        ['activation_bits', 'activation bits', ['bits']],
        ['weight_bits', 'weight bits', []],
        ['gain_db', 'gain dB', ['gain']],
        ['output.headroom', 'headroom', []],
        ['output.scale', 'output scale', []],
        ['output.zero_point', 'zero point', []],
        ['weight.scale', 'largest weight scale', []],
        ['rule', 'rule', []],
        ['reason', 'why in float', []],
      ],
      examples: ['conv', 'runs:float', 'bits=8', 'headroom<1', 'gain>3'],
      lists: QuantizeLists,
    };
  }

  function QuantizeLists({report}) {
    return html`<${page.Fold} title="Outputs" entries=${report.output_sqnr_db}
        columns=${[
          ['output', (entry) => entry.name, 'mono'],
          ['SQNR (dB)', (entry) => number(entry.sqnr_db, 'dB'), 'number'],
          ['channels', (entry) => number(entry.channels, 'count'), 'number'],
          ['below 3 dB', (entry) => number(entry.channels_below_3db, 'count'),
           'number']]} />
      <${page.Fold} title="Methods that were tried" entries=${report.tried}
        columns=${[
          ['layer', (entry) => page.layerLink(entry.layer)],
          ['method', (entry) => entry.method],
          ['without (dB)', (entry) => number(entry.sqnr_db_without, 'dB'),
           'number'],
          ['with (dB)', (entry) => number(entry.sqnr_db_with, 'dB'), 'number'],
          ['kept', (entry) => entry.kept ? 'yes' : 'no'],
          ['reason', (entry) => entry.reason]]} />
      <${page.Fold} title="What other flags would gain" entries=${report.advice}
        columns=${[['advice', (line) => line]]} />
      <${page.Fold} title="Warnings" entries=${report.warnings}
        columns=${[['warning', (line) => line]]} />`;
  }

  const INKS = ['--series-1', '--series-2', '--series-3', '--series-4',
                '--series-5', '--series-6'];

  function sensitivityView(report) {
    const keyOf = (name) => name + '.sqnr_db';
    const rows = report.layers.map((layer, index) => {
      const row = rowOf(layer, index);
      for (const {name, sqnr_db: db} of layer.candidates || []) {
        if (page.isFigure(db)) row.set(keyOf(name), page.number(db));
      }
      return row;
    });
    const names = report.candidates || [];
    return {
      layers: report.layers, rows,
      known: [
        ['index', '#', ['order']],
        ['name', 'layer', ['layer']],
        ['op', 'op', []],
        ...names.map((name) => [
          keyOf(name), name + ' dB', [name.replace(/\s+/g, '_').toLowerCase()],
        ]),
        ['use', 'use', []],
      ],
      series: names.slice(0, INKS.length).map((name, i) => ({
        key: keyOf(name), label: name, ink: INKS[i], dash: []})),
      chartHint: 'Each layer alone is quantized in these ways.',
      heat: new Set(names.map(keyOf)),
      examples: ['conv', 'op:linear', ...names.slice(0, 2).map(
          (name) => name.replace(/\s+/g, '_').toLowerCase() + '<30')],
      lists: SensitivityLists,
    };
  }

  function SensitivityLists({report}) {
    return html`<${page.Fold} title="Not tried" entries=${report.skipped}
        columns=${[
          ['layer', (entry) => page.layerLink(entry.name)],
          ['candidate', (entry) => entry.candidate],
          ['reason', (entry) => entry.reason]]} />
      <${page.Fold} title="Layers that no batch came by"
        entries=${report.never_ran} columns=${[
          ['layer', (entry) => page.layerLink(
              typeof entry === 'string' ? entry : entry.name)]]} />`;
  }

  function searchView(report) {
    const rows = report.layers.map((layer, index) => {
      const row = rowOf(layer, index);
      const ms = (us) => page.number(us) / 1000;
      const inFloat = (layer.choices || []).find(
          (choice) => choice.name === 'float');
      row.set('time_ms', ms(layer.time_us));
      if (inFloat) {
        row.set('float_ms', ms(inFloat.time_us));
        row.set('times_as_fast', inFloat.time_us / layer.time_us);
      }
      return row;
    });
    return {
      layers: report.layers, rows,
      known: [
        ['index', '#', ['order']],
        ['name', 'layer', ['layer']],
        ['op', 'op', []],
        ['choice', 'choice', []],
        ['noise_share', 'share of the noise', ['noise']],
        ['time_ms', 'ms', ['ms']],
        ['float_ms', 'ms in float', []],
        ['times_as_fast', 'times as fast', ['speed']],
      ],
      examples: ['conv', 'choice:float', 'noise>5%', 'speed<1'],
      lists: SearchLists,
      chart: SearchChart,
    };
  }

  function SearchChart({report}) {
    const points = (report.pareto || []).map((point) => ({
      ...point, db: page.number(point.sqnr_db),
      ms: page.number(point.time_us) / 1000, int8: point.int8_layers}));
    return html`<section id="frontier" aria-label="Frontier">
      <h2>Frontier</h2>
      <${page.Frontier} points=${points}
        budget=${page.number(page.at(report, 'budget', 'sqnr_db'))} />
      <p class="hint">Up is better, left is faster. Full circles were measured,
        open ones are predicted.</p>
      <${page.Fold} title="Recipes" entries=${points} columns=${[
        ['SQNR (dB)', (point) => page.format(point.db, 'dB'), 'number'],
        ['is', (point) => point.measured ? 'measured' : 'predicted'],
        ['ms', (point) => page.format(point.ms, ''), 'number'],
        ['layers in int8', (point) => number(point.int8, 'count'), 'number'],
        ['', (point) => point.chosen ? 'chosen' : '']]} />
    </section>`;
  }

  function SearchLists({report}) {
    return html`<${page.Fold} title="Recipes that were run"
        entries=${report.verified} columns=${[
          ['predicted (dB)', (entry) => number(entry.predicted_db, 'dB'),
           'number'],
          ['measured (dB)', (entry) => number(entry.measured_db, 'dB'),
           'number'],
          ['within the budget', (entry) => entry.keeps_budget ? 'yes' : 'no'],
        ]} />
      <${page.Fold} title="Not tried" entries=${report.skipped} columns=${[
        ['layer', (entry) => page.layerLink(entry.name)],
        ['candidate', (entry) => entry.candidate],
        ['reason', (entry) => entry.reason]]} />
      <${page.Fold} title="Warnings" entries=${report.warnings}
        columns=${[['warning', (line) => line]]} />`;
  }

  const VIEWS = {
    'ns.quantize/1': quantizeView,
    'ns.sensitivity/1': sensitivityView,
    'ns.search/1': searchView,
  };

  // The view of a report; undefined for a comparison.
  page.viewOf = function (report) {
    const make = VIEWS[report.schema];
    return make && make(report);
  };

  // The lists of a view, where one of them has an entry.
  page.ViewLists = function ({view, report}) {
    return html`<section id="lists" aria-label="More"><h2>More</h2>
      <${view.lists} report=${report} /></section>`;
  };

  // All that is known of a layer, in the panel.
  page.ViewBody = function ({layer, row}) {
    const {columns, report} = page.store.state;
    const tried = (report.tried || []).filter(
        (entry) => entry.layer === layer.name);
    return html`<div><dl class="facts">
      ${columns.filter((column) => row.has(column.key) &&
                                   column.key !== 'name').map(
      (column) => html`<div key=${column.key}><dt>${column.label}</dt>
        <dd>${page.cellText(column, row.get(column.key))}</dd></div>`)}
      </dl>
      <${page.Fold} title="Methods that were tried" entries=${tried} columns=${[
        ['method', (entry) => entry.method],
        ['without (dB)', (entry) => number(entry.sqnr_db_without, 'dB'),
         'number'],
        ['with (dB)', (entry) => number(entry.sqnr_db_with, 'dB'), 'number'],
        ['kept', (entry) => entry.kept ? 'yes' : 'no: ' + (entry.reason || '')],
      ]} />
      <${page.Fold} title="Choices" entries=${layer.choices} columns=${[
        ['choice', (entry) => entry.name],
        ['ms', (entry) => number(entry.time_us / 1000, ''), 'number'],
      ]} /></div>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});
