// What the parts of the page know in common, and how they hear of changes.
(function (page) {
  'use strict';
  const {useState, useLayoutEffect} = htmPreact;

  const listeners = new Set();

  page.store = {
    state: {
      report: null,    // the embedded JSON
      isComparison: false,  // whether it is one; else it has a view
      layout: null,    // places of the graph's boxes, or null
      rows: [],        // a map for each layer, see rowOf
      columns: [],     // see columnsOf
      series: [],      // lines of the chart: {key, label, ink, dash}
      chartHint: '',   // what they mean
      heat: null,      // the keys of columns with coloured cells, or null
      filterExamples: [],  // words for the filter
      baseline: null,  // {label, report, rows: Map by name} to compare with
      differences: true,  // show figures as differences to the baseline
      layer: null,     // the name of the layer in the panel
      node: null,      // {lane, id} of an unmatched node in the panel
      message: null,   // what went wrong in the last action
      theme: 'auto',   // auto, light or dark
      dark: false,     // what `auto` comes to
      printing: false,
    },
    set(patch) {
      Object.assign(page.store.state, patch);
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  // The state, for a component that is drawn again when it changes.
  page.useStore = function () {
    const [, draw] = useState(0);
    useLayoutEffect(
        () => page.store.subscribe(() => draw((count) => count + 1)), []);
    return page.store.state;
  };

  page.openLayer = function (name) {
    page.store.set({layer: name, node: null});
  };

  page.indexOfLayer = function (name) {
    return page.store.state.report.layers.findIndex(
        (layer) => layer.name === name);
  };

  // The earlier row of a layer, where there is a baseline that has it.
  page.earlierRow = function (row) {
    const {baseline} = page.store.state;
    return baseline ? baseline.rows.get(row.get('name')) : undefined;
  };

  // What a cell is about: the figure, or with a baseline its difference.
  page.shownValue = function (row, column) {
    const {baseline, differences} = page.store.state;
    const value = row.get(column.key);
    if (!baseline || !differences || !column.numeric ||
        column.key === 'index') {
      return value;
    }
    const earlier = page.earlierRow(row);
    return earlier && page.change(value, earlier.get(column.key));
  };

  page.showsDifferences = function (column) {
    const {baseline, differences} = page.store.state;
    return Boolean(baseline && differences && column.numeric &&
                   column.key !== 'index');
  };

  page.shownText = function (row, column) {
    const value = page.shownValue(row, column);
    return page.showsDifferences(column) ?
        page.formatChange(value, column.unit) : page.cellText(column, value);
  };
})(globalThis.nsPage = globalThis.nsPage || {});
