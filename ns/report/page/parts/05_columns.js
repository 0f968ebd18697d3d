// The columns of the layer table: what the JSON's layers hold, each by its path
// ("activation.sqnr_db").
(function (page) {
  'use strict';

  // What is shown at first, in this order, where the report has it: key, label,
  // and the shorter names by which a filter can ask for it.
  const KNOWN = [
    ['index', '#', ['order']],
    ['name', 'layer', ['layer']],
    ['quantized.op', 'op', ['op']],
    ['output_share', 'share of output error', ['share']],
    ['activation.sqnr_db', 'activation dB', ['sqnr', 'activation']],
    ['shadow.sqnr_db', 'shadow dB', ['shadow', 'local']],
    ['lowest_channels_db', 'channels', ['channels']],
    ['weight.sqnr_db', 'weight dB', ['weight']],
    ['inherited.sqnr_db', 'inherited dB', ['inherited']],
    ['kernel.sqnr_db', 'kernel dB', ['kernel']],
    ['second_data.sqnr_db', 'second data dB', ['second_data', 'second']],
    ['weight_only.sqnr_db', 'weight only dB', ['weight_only']],
    ['activation_only.sqnr_db', 'activation only dB', ['activation_only']],
    ['error.dominated_by', 'dominated by', ['dominated']],
    ['time_us.float', 'float \u00b5s', ['float_us']],
    ['time_us.quantized', 'quantized \u00b5s', ['time', 'us']],
    ['time_us.share', 'share of time', ['time_share']],
    ['clipped', 'clipped', ['clip']],
    ['activation.max_abs_error', 'max error', ['max']],
    ['saturation.share', 'saturated', ['saturated']],
    ['saturation.cost_db', 'saturation costs dB', ['cost']],
    ['source', 'source', []],
  ];
  // What has a place of its own in the layer panel, or would be no column.
  const SKIPPED = new Set([
    'histograms', 'subgraph', 'outputs', 'worst_channels', 'channel_sqnr_db',
    'channel_strip_db', 'batch_sqnr_db', 'trips', 'source', 'accumulated_db',
    'local_db', 'inherited_db',
  ]);

  // The share of values that lie beyond the quantized range, by the counts at
  // its ends. An end counts only where float values go beyond it by more than
  // a step: after a ReLU many values are at the lowest code and none is cut. As
  // ns/findings/saturation.h.
  page.clippedShare = function (layer) {
    const figures = layer.shadow && layer.shadow.codes ?
        layer.shadow : layer.activation;
    const codes = page.at(figures, 'codes');
    const elements = page.at(figures, 'elements');
    const ends = ['float', 'quantized'].map(
        (side) => page.at(figures, 'range', side));
    if (!codes || !elements || !ends.every(Array.isArray)) return undefined;
    const [[floatMin, floatMax], [min, max]] = ends.map(
        (pair) => pair.map(page.number));
    // Without the scale: the values that occur are at least a step apart.
    const step = page.number(page.at(layer, 'qparams', 'scale')) ??
        (max - min) / Math.max(1, 255 - codes.unused);
    const low = floatMin < min - step ? codes.lowest : 0;
    const high = floatMax > max + step ? codes.highest : 0;
    return (low + high) / elements;
  };

  // Adds the leaves below `value` to `row` by their paths.
  function flatten(value, path, row) {
    for (const [key, entry] of Object.entries(value)) {
      const name = path ? path + '.' + key : key;
      if (SKIPPED.has(key)) continue;
      if (page.isFigure(entry)) {
        row.set(name, page.number(entry));
      } else if (typeof entry === 'string' || typeof entry === 'boolean') {
        row.set(name, String(entry));
      } else if (key === 'shape' && Array.isArray(entry)) {
        row.set(name, entry.join('\u00d7'));
      } else if (path.endsWith('range') && Array.isArray(entry)) {
        row.set(name + '.min', page.number(entry[0]));
        row.set(name + '.max', page.number(entry[1]));
      } else if (entry && typeof entry === 'object' && !Array.isArray(entry)) {
        flatten(entry, name, row);
      }
    }
  }

  // Weights are a list: each figure is that of the worst of them.
  function flattenWeights(weights, row) {
    for (const weight of weights) {
      const one = new Map();
      flatten(weight, 'weight', one);
      one.delete('weight.name');
      for (const [key, value] of one) {
        const other = row.get(key);
        const worse = page.worseOf(key);
        if (other === undefined || Number.isNaN(value) ||
            (worse < 0 && value < other) || (worse > 0 && value > other) ||
            (worse === 0 && Math.abs(value) > Math.abs(other))) {
          row.set(key, value);
        }
      }
    }
  }

  // How the channels of a layer fare, where that is known: the lowest SQNR of
  // each group of neighbouring ones.
  page.stripOf = (layer) => ['activation', 'shadow', 'kernel']
      .map((key) => page.at(layer, key, 'channel_strip_db'))
      .filter(Array.isArray).map((strip) => strip.map(page.number))[0];

  // All values of a layer: a map from path to number or text.
  page.rowOf = function (layer, index) {
    const row = new Map([['index', index + 1], ['name', layer.name]]);
    flatten({...layer, weight: undefined}, '', row);
    if (Array.isArray(layer.weight)) flattenWeights(layer.weight, row);
    if (!row.has('clipped')) {
      const clipped = page.clippedShare(layer);
      if (clipped !== undefined) row.set('clipped', clipped);
    }
    const groups = (page.stripOf(layer) || []).filter((db) => !isNaN(db));
    if (groups.length > 0) {
      row.set('lowest_channels_db', Math.min(...groups));
    }
    const source = page.sourceText(layer, 'float') ||
        page.sourceText(layer, 'quantized');
    if (source) row.set('source', source);
    return row;
  };

  // The columns that some of `rows` have: {key, label, names, unit, worse,
  // numeric, shown}. Those of `shownAtFirst` come first, in its order.
  page.columnsOf = function (rows, shownAtFirst = KNOWN) {
    const numeric = new Map();
    for (const row of rows) {
      for (const [key, value] of row) {
        numeric.set(key, numeric.get(key) !== false &&
                             typeof value === 'number');
      }
    }
    const known = new Map(shownAtFirst.map((entry) => [entry[0], entry]));
    const column = (key) => ({
      key,
      label: known.has(key) ? known.get(key)[1] : key,
      names: [key, ...(known.has(key) ? known.get(key)[2] : [])],
      unit: page.unitOf(key),
      worse: page.worseOf(key),
      numeric: numeric.get(key),
      shown: known.has(key),
    });
    return [
      ...[...known.keys()].filter((key) => numeric.has(key)),
      ...[...numeric.keys()].filter((key) => !known.has(key)),
    ].map(column);
  };

  // The column that a user's word names: a key, a shorter name, or the end of
  // one key ("max_abs_error" is activation's). Undefined where there is none.
  page.findColumn = function (columns, word) {
    const name = word.toLowerCase();
    return columns.find((column) => column.names.includes(name)) ||
        columns.find((column) => column.key.toLowerCase() === name) ||
        columns.find((column) => column.key.toLowerCase().endsWith('.' + name));
  };

  page.cellText = function (column, value) {
    if (value === undefined) return '';
    return typeof value === 'number' ? page.format(value, column.unit) : value;
  };
})(globalThis.nsPage = globalThis.nsPage || {});
