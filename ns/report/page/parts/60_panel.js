// The panel beside the page: everything that is known of one layer.
(function (page) {
  'use strict';
  const {html, useEffect, useLayoutEffect, useRef} = htmPreact;

  const ERRORS = ['activation', 'shadow', 'inherited', 'kernel', 'weight_only',
                  'activation_only', 'second_data'];
  const LABELS = {
    weight_only: 'weight only', activation_only: 'activation only',
    second_data: 'second data',
    sqnr_db: 'SQNR (dB)', normalized_l2: 'normalized L2', cosine: 'cosine',
    max_abs_error: 'max error', mean_error: 'mean error',
    bias_share: 'bias share', abs_error_p999: '99.9 % of errors',
    outlier_share: 'outlier share',
    median_channel_sqnr_db: 'median channel (dB)',
    channels_below_3db: 'channels below 3 dB',
    dead_channels: 'dead channels',
  };
  // How many elements and channels there are is no figure of an error.
  const COUNTS = ['elements', 'channels'];
  const label = (key) => LABELS[key] || key;
  const ORIGINS = {
    local: 'is mostly its own',
    inherited: 'mostly came in with its inputs',
    both: 'is its own and came in with its inputs',
  };

  // A line of the list of facts, where there is something to say.
  function Fact({name, children}) {
    const empty = children === undefined || children === null ||
        children === '' || children === false;
    return empty ? null :
        html`<div><dt>${name}</dt><dd>${children}</dd></div>`;
  }

  function Side({name, layer}) {
    const side = layer[name];
    if (!side) return null;
    const source = page.sourceText(layer, name);
    return html`<${Fact} name=${name}>
      <span class="mono">${(side.subgraph || [side.op]).join(' \u2192 ') ||
        'a graph input'}</span>
      ${side.fqn && html`<span class="faint mono"> ${side.fqn}</span>`}
      ${side.fqn_inferred && html`<span class="faint"> (inferred)</span>`}
      ${source && html`<span class="source mono">${source}</span>`}
    </${Fact}>`;
  }

  // Scales, zero points and whatever else the JSON tells of quantization, as
  // "scale 0.031, zero point 64".
  function parameters(object) {
    if (!object || typeof object !== 'object') return '';
    return Object.entries(object)
        .filter(([, value]) => page.isFigure(value) ||
                               typeof value === 'string')
        .map(([key, value]) => `${key.replace(/_/g, ' ')} ${
          page.isFigure(value) ? page.format(page.number(value), '') : value}`)
        .join(', ');
  }

  // Figures of all errors that were measured, a column each, with the
  // differences to the earlier report.
  function Figures({layer, row}) {
    const parts = [
      ...ERRORS.filter((key) => layer[key] && typeof layer[key] === 'object')
          .map((key) => ({title: label(key), figures: layer[key], path: key})),
      ...(layer.weight || []).map((weight, index) => ({
        title: weight.name, figures: weight,
        path: index === 0 && layer.weight.length === 1 ? 'weight' : null})),
    ];
    const keys = [];
    for (const {figures} of parts) {
      for (const [key, value] of Object.entries(figures)) {
        if (page.isFigure(value) && !COUNTS.includes(key) &&
            !keys.includes(key)) {
          keys.push(key);
        }
      }
    }
    if (parts.length === 0) return null;
    const earlier = page.earlierRow(row);
    return html`<div class="scroll" tabindex="0" role="region"
        aria-label="Figures"><table class="figures">
      <thead><tr><td></td>${parts.map(({title}) => html`<th scope="col"
        key=${title}>${title}</th>`)}</tr></thead>
      <tbody>${keys.map((key) => html`<tr key=${key}>
        <th scope="row">${label(key)}</th>
        ${parts.map(({title, figures, path}) => {
          const value = page.number(figures[key]);
          const then = earlier && path ? earlier.get(path + '.' + key) :
              undefined;
          const change = page.change(value, then);
          return html`<td key=${title} class="number">${
            page.format(value, page.unitOf(key))}${change !== undefined &&
              change !== 0 && html`<small>${page.formatChange(change, page.unitOf(key))}
              </small>`}</td>`;
        })}</tr>`)}</tbody>
    </table></div>`;
  }

  // How the quantized values are used: codes at the ends, what was cut.
  function clippingText(figures) {
    const {codes, elements} = figures;
    if (!codes) return '';
    const share = (count) => elements ?
        ` (${page.format(count / elements, 'share')})` : '';
    return `${page.format(codes.lowest, 'count')}${share(codes.lowest)} at ` +
        `the lowest code, ${page.format(codes.highest, 'count')}` +
        `${share(codes.highest)} at the highest; ${256 - codes.unused} of ` +
        `256 codes in use`;
  }

  function rangeText(figures) {
    const {range} = figures;
    if (!range) return '';
    const side = (ends) => ends.map(
        (end) => page.format(page.number(end), '')).join(' to ');
    return `float ${side(range.float)}, quantized ${side(range.quantized)}`;
  }

  // Histograms of one pair of tensors.
  function Histograms({title, figures}) {
    const data = figures && figures.histograms;
    if (!data) return null;
    return html`<div>
      <${page.Histogram} title=${title} samples=${data.samples} parts=${[
        {label: 'float', look: 'series-1', data: data.float},
        {label: 'quantized', look: 'series-2', data: data.quantized}]} />
      <${page.Histogram} title=${title + ': error'} parts=${[
        {label: 'error', look: 'series-4', data: data.error}]} />
      <${page.HeatMap} title=${title + ': error against value'}
        data=${data.error_by_value} />
    </div>`;
  }

  // What sums of two products in 16 bits do to the layer elsewhere.
  function saturationText(saturation) {
    if (!saturation) return '';
    const count = (value) => page.format(value, 'count');
    const can = `${count(saturation.saturating_channels)} of ` +
        `${count(saturation.channels)} channels can saturate on ` +
        saturation.numerics;
    if (saturation.outputs === undefined) return can;
    const cost = page.number(saturation.cost_db);
    const costs = cost === undefined || saturation.saturated === 0 ? '' :
        `, which costs ${page.format(cost, 'dB')} dB`;
    return `${can}; ${count(saturation.saturated)} of ` +
        `${count(saturation.outputs)} outputs do${costs}`;
  }

  function numbers(list) {
    return (list || []).map(page.number);
  }

  function Activation({name, figures}) {
    if (!figures || typeof figures !== 'object') return null;
    const batches = numbers(figures.batch_sqnr_db);
    const channels = numbers(figures.channel_sqnr_db);
    const strip = numbers(figures.channel_strip_db);
    const nonFinite = figures.non_finite;
    const few = batches.length <= 12;
    return html`<section>
      <h3>${name}</h3>
      <dl class="facts">
        <${Fact} name="shape">${(figures.shape || []).join(' \u00d7 ')}
        </${Fact}>
        <${Fact} name="range">${rangeText(figures)}</${Fact}>
        <${Fact} name="channels">${strip.length > 0 &&
          html`<${page.ChannelStrip} strip=${strip} />`}</${Fact}>
        <${Fact} name="codes">${clippingText(figures)}</${Fact}>
        <${Fact} name="not finite">${nonFinite && ['float', 'quantized'].map(
      (side) => `${side} ${nonFinite[side].nan} nan, ${
        nonFinite[side].inf} inf`).join('; ')}</${Fact}>
      </dl>
      <${Histograms} title="Values" figures=${figures} />
      ${figures.worst_channels && figures.worst_channels.length > 0 &&
        html`<${page.Bars} title="Worst channels, SQNR in dB" unit="dB"
          entries=${figures.worst_channels.map((entry) => ({
            label: 'channel ' + entry.channel,
            value: page.number(entry.sqnr_db)}))} />`}
      ${channels.length > 1 && html`<${page.Strip} title="SQNR by channel"
        values=${channels} unit="dB" name="channel" />`}
      ${batches.length > 1 && (few ?
        html`<${page.Bars} title="Batches, SQNR in dB" unit="dB"
          entries=${batches.map((value, i) => ({label: 'batch ' + i, value}))}
        />` : html`<${page.Strip} title="SQNR by batch" values=${batches}
          unit="dB" name="batch" />`)}
      ${numbers(figures.trips).length > 1 && html`<${page.Strip}
        title="SQNR by trip of the loop" values=${numbers(figures.trips)}
        unit="dB" name="trip" />`}
    </section>`;
  }

  // What was tried in the layer and measured, the largest gain first.
  function TriedChanges({changes}) {
    if (!changes || changes.length === 0) return null;
    const gain = (change) => page.number(change.gain_db);
    return html`<div class="suggestion"><b>Tried in this layer alone, and measured:</b><ul>${
      [...changes].sort((a, b) => gain(b) - gain(a)).map((change) =>
        html`<li key=${change.text}>${change.text}</li>`)}</ul></div>`;
  }

  // What the model gains with the layer in float.
  function FloatGain({gain}) {
    if (!gain) return null;
    const [before, after, change] = ['before_db', 'after_db', 'gain_db'].map(
        (key) => page.number(gain[key]));
    return html`<div class="suggestion"><b>Measured with this layer in float:</b>
      ${' '}${gain.output} ${page.format(before, 'dB')} \u2192 ${
        page.format(after, 'dB')} dB (${page.formatChange(change, 'dB')})</div>`;
  }

  function LayerBody({layer, row}) {
    const {report} = page.store.state;
    const reasons = ['not_shadowed', 'no_reference', 'not_referenced',
                     'not_emulated'].flatMap((key) => (report[key] || [])
        .filter(({name}) => name === layer.name)
        .map(({reason}) => ({key, reason})));
    const quantization = ['qparams', 'quantization'].map((key) =>
      parameters(layer[key] || page.at(layer.quantized, key))).filter(Boolean);
    const outputs = layer.outputs || [];
    return html`<div>
      <dl class="facts">
        <${Side} name="float" layer=${layer} />
        <${Side} name="quantized" layer=${layer} />
        <${Fact} name="quantized by">${quantization.join('; ')}</${Fact}>
        <${Fact} name="output">${layer.output}</${Fact}>
        <${Fact} name="clipped">${page.format(row.get('clipped'), 'share')}
        </${Fact}>
        <${Fact} name="its error">${ORIGINS[page.at(layer, 'error',
      'dominated_by')]}</${Fact}>
        <${Fact} name="weight">${layer.has_weight_of && html`<b class="bad">is
          that of <span class="mono">${layer.has_weight_of}</span></b>`}
        </${Fact}>
        <${Fact} name="bias">${page.at(layer, 'bias', 'missing') === true &&
          html`<b class="bad">the quantized layer has none</b>`}</${Fact}>
        <${Fact} name="note">${layer.unpaired_input}</${Fact}>
        <${Fact} name="saturation">${saturationText(layer.saturation)}
        </${Fact}>
        ${reasons.map(({key, reason}) => html`<${Fact} key=${key}
          name=${key.replace(/_/g, ' ')}>${reason}</${Fact}>`)}
      </dl>
      <${FloatGain} gain=${layer.in_float} />
      <${TriedChanges} changes=${layer.tried_changes} />
      <${Figures} layer=${layer} row=${row} />
      ${(layer.weight || []).map((weight) => html`<section key=${weight.name}>
        ${weight.histograms && html`<h3>${weight.name} <span class="faint">${
          (weight.shape || []).join(' \u00d7 ')}</span></h3>`}
        <${Histograms} title=${weight.name} figures=${weight} /></section>`)}
      <${Activation} name="Activation" figures=${layer.activation} />
      <${Activation} name="Shadow" figures=${layer.shadow} />
      <${Activation} name="Kernel" figures=${layer.kernel} />
      <${Activation} name="Activation on the second data set"
        figures=${layer.second_data} />
      ${outputs.map((output) => html`<section key=${output.index}>
        <h3>Output ${output.name}</h3>
        <${Figures} layer=${{...output, weight: []}} row=${new Map()} />
        <${Activation} name=${`Activation of ${output.name}`}
          figures=${output.activation} />
        <${Activation} name=${`Shadow of ${output.name}`}
          figures=${output.shadow} />
      </section>`)}
    </div>`;
  }

  function NodeBody({node, lane}) {
    return html`<dl class="facts">
      <${Fact} name="model">${lane}</${Fact}>
      <${Fact} name="op"><span class="mono">${node.op}</span></${Fact}>
      <${Fact} name="module"><span class="mono">${node.fqn}</span></${Fact}>
      <${Fact} name="unmatched">${node.reason || 'no reason given'}</${Fact}>
    </dl>`;
  }

  page.Panel = function () {
    const state = page.useStore();
    const body = useRef(null);
    const {report} = state;
    const index = state.layer === null ? -1 : page.indexOfLayer(state.layer);
    const layer = report.layers[index];
    const node = state.node &&
        report.graph[state.node.lane].nodes[state.node.id];
    const close = () => page.store.set({layer: null, node: null});
    useLayoutEffect(() => {
      document.body.classList.toggle('with-panel', Boolean(layer || node));
      if (body.current) body.current.scrollTop = 0;
    }, [state.layer, state.node]);
    useEffect(() => {
      const escape = (event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close();
      };
      addEventListener('keydown', escape);
      return () => removeEventListener('keydown', escape);
    }, []);
    if (!layer && !node) return null;
    const step = (by) => {
      const next = report.layers[index + by];
      if (next) page.openLayer(next.name);
    };
    const title = layer ? layer.name : node.name;
    return html`<aside id="panel" aria-label=${'Layer ' + title}>
      <div class="panel-head">
        <h2 class="mono" title=${title} aria-live="polite">${title}</h2>
        ${layer && html`<button type="button" aria-label="Previous layer"
          disabled=${index === 0} onClick=${() => step(-1)}>\u2191</button>
        <button type="button" aria-label="Next layer"
          disabled=${index === report.layers.length - 1}
          onClick=${() => step(1)}>\u2193</button>`}
        ${layer && state.layout && report.graph && html`<button type="button"
          onClick=${() => page.showInGraph(layer.name)}>In graph</button>`}
        <button type="button" id="panel-close" aria-label="Close"
          onClick=${close}>\u2715</button>
      </div>
      <div class="panel-body" ref=${body} tabindex="0" role="region"
          aria-label="Details">
        ${layer ? html`<${state.isComparison ? LayerBody : page.ViewBody}
          key=${layer.name} layer=${layer} row=${state.rows[index]} />` :
          html`<${NodeBody} node=${node} lane=${state.node.lane} />`}
      </div>
    </aside>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});
