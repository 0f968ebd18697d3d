// Limits, accuracy, scores, times, coverage and the other lists of the report,
// each where the JSON has it.
(function (page) {
  'use strict';
  const {html} = htmPreact;

  const layerLink = page.layerLink = (name) => page.indexOfLayer(name) < 0 ?
      html`<span class="mono">${name}</span>` :
      html`<button type="button" class="link mono"
        onClick=${() => page.openLayer(name)}>${name}</button>`;

  // A plain table: `columns` is a list of [title, function of an entry, kind],
  // where a kind is "number", "mono" or nothing.
  function List({title, columns, entries}) {
    return html`<div class="scroll" tabindex="0" role="region"
        aria-label=${title}><table class="list">
      <thead><tr>${columns.map(([name, , kind]) => html`<th scope="col"
        key=${name} class=${kind === 'number' ? kind : ''}>${name}</th>`)}</tr></thead>
      <tbody>${entries.map((entry, i) => html`<tr key=${i}>
        ${columns.map(([name, read, kind]) => html`<td key=${name}
          class=${kind}>${read(entry)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
  }

  // A list that is folded where it is long.
  page.Fold = Fold;
  function Fold({title, columns, entries}) {
    if (!entries || entries.length === 0) return null;
    return html`<details open=${entries.length <= 8}>
      <summary>${title} <span class="faint">${entries.length}</span></summary>
      <${List} title=${title} columns=${columns} entries=${entries} />
    </details>`;
  }

  const number = (value, unit) => page.format(page.number(value), unit);

  page.Limits = function () {
    const {report} = page.useStore();
    const {baseline} = report;
    const limits = report.limits || [];
    if (limits.length === 0) return null;
    const units = {'max-clip': 'share', 'max-dead-channels': 'share',
      'max-unmatched': 'count', 'max-score-drop': ''};
    const unit = (name) => name in units ? units[name] : 'dB';
    const crossed = limits.filter((limit) => !limit.passed);
    const held = limits.filter((limit) => limit.passed);
    const columns = [
      ['limit', (limit) => '--' + limit.limit, 'mono'],
      ['layer', (limit) => limit.layer && html`${layerLink(limit.layer)}${
        limit.output ? ' ' + limit.output : ''}`],
      ...(limits.some((limit) => limit.figure) ?
        [['figure', (limit) => limit.figure]] : []),
      ['value', (limit) => number(limit.value, unit(limit.limit)), 'number'],
      ['bound', (limit) => number(limit.bound, unit(limit.limit)) +
        (limit.tolerance === undefined ? '' :
          ' + ' + number(limit.tolerance, 'dB')), 'number'],
    ];
    return html`<section id="limits" aria-label="Limits">
      <h2>Limits <span class=${'badge ' + (crossed.length ? 'bad' : 'good')}>${
        crossed.length === 0 ? `all ${limits.length} hold` :
          `${crossed.length} of ${limits.length} crossed`}</span></h2>
      ${crossed.length > 0 && html`<${List} title="Limits crossed"
        entries=${crossed} columns=${columns} />`}
      ${held.length > 0 && html`<details><summary>Limits that hold <span
        class="faint">${held.length}</span></summary>
        <${List} title="Limits that hold" entries=${held} columns=${columns} />
        </details>`}
      ${baseline && html`<p>Compared with <span class="mono">${
        baseline.path}</span>.</p>
        <${Fold} title="Layers that it does not have"
          entries=${baseline.new} columns=${[['layer', layerLink]]} />
        <${Fold} title="Layers that only it has" entries=${baseline.vanished}
          columns=${[['layer', (name) => name, 'mono']]} />`}
    </section>`;
  };

  page.Accuracy = function () {
    const {report} = page.useStore();
    const {accuracy} = report;
    if (!accuracy) return null;
    const interval = accuracy.interval || [];
    const tile = (name, text) => html`<div class="tile"><b>${text}</b>
      <span>${name}</span></div>`;
    return html`<section id="accuracy" aria-label="Accuracy">
      <h2>Accuracy <span class="faint">on ${
        number(accuracy.samples, 'count')} samples</span></h2>
      <div class="tiles">
        ${tile('float top-1', number(accuracy.float_top1, 'share'))}
        ${tile('quantized top-1', number(accuracy.quantized_top1, 'share'))}
        ${tile('same answer', number(accuracy.agreement, 'share'))}
        ${tile(interval.length === 2 ?
          `difference (95 %: ${number(interval[0], 'share')} to ${
            number(interval[1], 'share')})` : 'difference',
        page.formatChange(page.number(accuracy.difference), 'share'))}
        ${accuracy.flipped !== undefined && tile(
      `answers changed: ${number(accuracy.lost, 'count')} lost, ${
        number(accuracy.won, 'count')} won`, number(accuracy.flipped, 'count'))}
      </div>
      <${Fold} title="Samples whose answer changed" entries=${accuracy.flips}
        columns=${[
          ['batch', (flip) => flip.batch, 'number'],
          ['sample', (flip) => flip.sample, 'number'],
          ['label', (flip) => flip.label, 'number'],
          ['float', (flip) => flip.float, 'number'],
          ['quantized', (flip) => flip.quantized, 'number'],
          ['float margin', (flip) => number(flip.float_margin, ''), 'number'],
          ['quantized margin', (flip) => number(flip.quantized_margin, ''),
           'number'],
        ]} />
    </section>`;
  };

  // Figures of the task; a higher one is better.
  page.Scores = function () {
    const {scores} = page.useStore().report;
    if (!scores || scores.length === 0) return null;
    return html`<section id="scores" aria-label="Scores">
      <h2>Scores <span class="faint">higher is better</span></h2>
      <${List} title="Scores" entries=${scores} columns=${[
        ['score', (score) => score.name, 'mono'],
        ['float', (score) => number(score.float, ''), 'number'],
        ['quantized', (score) => number(score.quantized, ''), 'number'],
        ['difference', (score) =>
          page.formatChange(page.number(score.difference), ''), 'number'],
      ]} />
    </section>`;
  };

  // What a second data set costs, and the layers that have other ranges on it.
  page.SecondData = function () {
    const {report} = page.useStore();
    const {second_data: data, data_shift: shift} = report;
    if (!data || !shift) return null;
    const layerOf = ({name}) => report.layers[page.indexOfLayer(name)];
    const range = (key) => (entry) =>
      (page.at(layerOf(entry), key, 'range', 'float') || [])
          .map((end) => number(end, '')).join(' to ');
    return html`<section id="second-data" aria-label="Second data set">
      <h2>Second data set <span class="faint mono">${
        data.inputs.join(', ')}</span></h2>
      <p>${shift.sentence}</p>
      <${Fold} title="Layers with another range" entries=${shift.layers}
        columns=${[
          ['layer', (entry) => layerLink(entry.name)],
          ['range on the first', range('activation'), 'number'],
          ['on the second', range('second_data'), 'number'],
          ['clipped on the first',
           (entry) => number(entry.clipped_on_first, 'share'), 'number'],
          ['on the second ',
           (entry) => number(entry.clipped_on_second, 'share'), 'number'],
        ]} />
      ${shift.cure && html`<div class="cure">What to do: ${
        shift.cure.sentence}.${shift.cure.command &&
          html`<${page.Command} text=${shift.cure.command} />`}</div>`}
    </section>`;
  };

  // How long the models take, and which layers are slower than in float.
  page.Times = function () {
    const {report} = page.useStore();
    const {times, slower_than_float: slow} = report;
    if (!times) return null;
    const timeText = (us) => us < 999.5 ? number(us, '') + ' \u00b5s' :
      number(us / 1000, '') + ' ms';
    const timeOf = (side) => ({name}) => timeText(page.at(
        report.layers[page.indexOfLayer(name)], 'time_us', side));
    const tile = (name, text) => html`<div class="tile"><b>${text}</b>
      <span>${name}</span></div>`;
    return html`<section id="times" aria-label="Time">
      <h2>Time <span class="faint">of a batch of ${
        number(times.samples, 'count')}, ${times.threads} thread${
        times.threads === 1 ? '' : 's'}, the least of ${
        times.runs} runs</span></h2>
      <div class="tiles">
        ${tile('float', timeText(times.float_us))}
        ${tile('quantized', timeText(times.quantized_us))}
        ${tile('times as fast',
        (times.float_us / times.quantized_us).toFixed(2))}
      </div>
      <${Fold} title="Slower than in float" entries=${slow} columns=${[
        ['layer', (entry) => layerLink(entry.name)],
        ['float', timeOf('float'), 'number'],
        ['quantized', timeOf('quantized'), 'number'],
        ['reason', (entry) => entry.reason]]} />
      <${Fold} title="Ops that belong to no layer"
        entries=${times.between_layers} columns=${[
          ['model', (entry) => entry.model],
          ['op', (entry) => entry.op, 'mono'],
          ['nodes', (entry) => number(entry.nodes, 'count'), 'number'],
          ['time', (entry) => timeText(entry.us), 'number']]} />
    </section>`;
  };

  page.Coverage = function () {
    const {report} = page.useStore();
    const {coverage} = report;
    if (!coverage) return null;
    const share = page.number(coverage.int8_macs_share);
    return html`<section id="coverage" aria-label="Coverage">
      <h2>What runs in int8</h2>
      <div class="tiles">
        ${share !== undefined && html`<div class="tile">
          <b>${page.format(share, 'share')}</b>
          <span>of the multiply-adds</span></div>`}
        <div class="tile"><b>${number(coverage.int8_layers, 'count')}</b>
          <span>layers in int8</span></div>
        <div class="tile"><b>${number(coverage.float_layers, 'count')}</b>
          <span>layers stayed float</span></div>
      </div>
      <${Fold} title="Stayed float" entries=${coverage.stayed_float} columns=${[
        ['layer', (entry) => layerLink(entry.name)],
        ['op', (entry) => entry.op, 'mono'],
        ['reason', (entry) => entry.reason]]} />
      <${Fold} title="Dequantize and quantize that cancel"
        entries=${coverage.cancelling_pairs} columns=${[
          ['dequantize', (pair) => pair.dequantize, 'mono'],
          ['quantize', (pair) => pair.quantize, 'mono']]} />
      <${Fold} title="Weights packed at run time"
        entries=${coverage.packs_at_run_time} columns=${[
          ['layer', (name) => typeof name === 'string' ? layerLink(name) :
            layerLink(name.name)]]} />
    </section>`;
  };

  const FIGURES = [
    ['SQNR (dB)', (entry) => number(entry.sqnr_db, 'dB'), 'number'],
    ['cosine', (entry) => number(entry.cosine, ''), 'number'],
    ['max error', (entry) => number(entry.max_abs_error, ''), 'number'],
  ];
  const REASON = [
    ['layer', (entry) => layerLink(entry.name)],
    ['reason', (entry) => entry.reason],
  ];
  const MODULE = [
    ['module', (entry) => entry.name, 'mono'],
    ['float type', (entry) => entry.float_type, 'mono'],
    ['quantized type', (entry) => entry.quantized_type, 'mono'],
    ...FIGURES,
  ];

  // Whole modules, and what could not be measured.
  page.Lists = function () {
    const {report} = page.useStore();
    const lists = [
      ['Stubs: modules on the quantized model\u2019s inputs', MODULE, 'stubs'],
      ['Outputs of modules and models', MODULE, 'outputs'],
      ['Layers without a shadow', REASON, 'not_shadowed'],
      ['Layers without a reference kernel', REASON, 'no_reference'],
      ['Layers without values in the reference', REASON, 'not_referenced'],
      ['Layers that were not emulated', REASON, 'not_emulated'],
    ].filter(([, , key]) => report[key] && report[key].length > 0);
    if (lists.length === 0) return null;
    return html`<section id="lists" aria-label="More">
      <h2>More</h2>
      ${lists.map(([title, columns, key]) => html`<${Fold} key=${key}
        title=${title} columns=${columns} entries=${report[key]} />`)}
    </section>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});
