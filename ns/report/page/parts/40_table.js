// The layer table. Only the rows in sight are in the document, so that some
// thousand layers scroll as smoothly as ten.
(function (page) {
  'use strict';
  const {html, useLayoutEffect, useMemo, useRef, useState} = htmPreact;

  const ROW_HEIGHT = 28;
  // Rows above and below what is in sight, and by how many rows at once what is
  // drawn moves on.
  const SPARE_ROWS = 14;
  const STEP_ROWS = 7;

  // The width of a column in pixels, by its longest text.
  function widthOf(column, rows) {
    if (column.key === 'index') return 52;
    const head = 34 + 7.2 * column.label.length;
    if (column.numeric) return Math.max(84, head);
    const longest = rows.reduce((most, row) =>
      Math.max(most, (row.get(column.key) || '').length), 0);
    return Math.max(head, Math.min(18 + 7.4 * longest, 300));
  }

  // Figures below these are marked, as in the part without scripts.
  function levelClass(column, value, differences) {
    if (typeof value !== 'number') return '';
    if (differences) {
      const worse = value * (column.worse || 1);
      return value === 0 || column.worse === 0 ? 'same' :
          worse > 0 ? 'worse' : 'better';
    }
    if (!/sqnr_db$/.test(column.key)) return '';
    return value < 10 || Number.isNaN(value) ? 'low' :
        value < 20 ? 'middling' : '';
  }

  // The channels of a layer side by side, coloured by their SQNR.
  page.ChannelStrip = function ({strip}) {
    const figures = strip.map((db) => page.format(db, 'dB')).join(', ');
    return html`<span class="channel-strip" role="img" title=${figures}
      aria-label=${'lowest SQNR of neighbouring channels: ' + figures}>${
      strip.map((db, i) => html`<i key=${i} style=${
        {background: page.channelColor(db)}} />`)}</span>`;
  };

  function Cell({row, column}) {
    const differences = page.showsDifferences(column);
    const strip = column.key === 'lowest_channels_db' && !differences &&
        page.stripOf(page.store.state.report.layers[row.get('index') - 1]);
    if (strip) {
      return html`<td class="text"><${page.ChannelStrip} strip=${strip} /></td>`;
    }
    const value = page.shownValue(row, column);
    const text = page.shownText(row, column);
    const classes = [
      column.numeric ? 'number' : 'text',
      levelClass(column, value, differences),
      /name$|op$|fqn$|source$/.test(column.key) ? 'mono' : '',
    ].filter(Boolean).join(' ');
    let title = column.numeric ? undefined : text;
    if (differences) {
      const earlier = page.earlierRow(row);
      title = earlier ?
          page.cellText(column, earlier.get(column.key)) + ' \u2192 ' +
              page.cellText(column, row.get(column.key)) :
          'not in the earlier report';
    }
    const {heat} = page.store.state;
    const color = heat && heat.has(column.key) && typeof value === 'number' ?
        page.channelColor(value) : undefined;
    return html`<td class=${classes} title=${title} style=${color &&
        {background: color, color: page.inkOn(color)}}>${
      differences && !page.earlierRow(row) ? 'new' : text}</td>`;
  }

  function Row({row, columns, index, selected, open, onClick}) {
    return html`<tr id=${'row-' + row.get('index')} aria-rowindex=${index + 2}
        aria-selected=${String(selected)} onClick=${onClick}
        class=${(selected ? 'selected ' : '') + (open ? 'open' : '')}>
      ${columns.map((column) =>
        html`<${Cell} key=${column.key} row=${row} column=${column} />`)}
    </tr>`;
  }

  function Header({columns, sort, onSort}) {
    return html`<thead><tr aria-rowindex="1">
      ${columns.map((column) => {
        const sorted = sort.key === column.key;
        const direction = sort.down ? 'descending' : 'ascending';
        return html`<th scope="col" key=${column.key}
            class=${column.numeric ? 'number' : ''}
            aria-sort=${sorted ? direction : 'none'}>
          <button type="button" title=${column.key}
              onClick=${() => onSort(column)}>${column.label}<span
              aria-hidden="true" class="arrow">${
                !sorted ? '' : sort.down ? ' \u2193' : ' \u2191'}</span></button>
        </th>`;
      })}
    </tr></thead>`;
  }

  function ColumnMenu({columns, shown, onChange}) {
    return html`<details class="menu"><summary>Columns</summary>
      <div class="menu-list" role="group" aria-label="Columns to show">
        ${columns.map((column) => html`<label key=${column.key}>
          <input type="checkbox" checked=${shown.has(column.key)}
              onChange=${() => onChange(column.key)} />
          ${column.label === column.key ? '' : column.label + ' '}
          <span class="mono faint">${column.key}</span></label>`)}
      </div></details>`;
  }

  // The rows that pass the filter, in order.
  function select(state, filter, sort) {
    const {test} = filter;
    const rows = state.rows.filter(test);
    const column = state.columns.find((entry) => entry.key === sort.key);
    if (!column) return rows;
    const values = new Map(
        rows.map((row) => [row, page.shownValue(row, column)]));
    return rows.sort((a, b) =>
      page.compareValues(values.get(a), values.get(b), sort.down) ||
      a.get('index') - b.get('index'));
  }

  page.LayerTable = function () {
    const state = page.useStore();
    const box = useRef(null);
    const [text, setText] = useState('');
    const [sort, setSort] = useState({key: 'index', down: false});
    const [shown, setShown] = useState(() => new Set(state.columns
        .filter((column) => column.shown).map((column) => column.key)));
    const [cursor, setCursor] = useState(0);
    const [topRow, setTopRow] = useState(0);
    const [height, setHeight] = useState(600);
    const filter = useMemo(
        () => page.parseFilter(text, state.columns), [text, state.columns]);
    const rows = useMemo(() => select(state, filter, sort),
        [filter, sort, state.rows, state.baseline, state.differences]);
    const columns = state.columns.filter((column) => shown.has(column.key));
    const widths = useMemo(() => new Map(state.columns.map((column) =>
      [column.key, widthOf(column, state.rows)])), [state.columns]);
    const at = Math.min(cursor, rows.length - 1);

    useLayoutEffect(() => {
      const element = box.current;
      const measure = () => setHeight(element.clientHeight);
      measure();
      const watch = new ResizeObserver(measure);
      watch.observe(element);
      return () => watch.disconnect();
    }, []);

    const reveal = (index) => {
      const element = box.current;
      const top = index * ROW_HEIGHT;
      const head = 36;
      if (top < element.scrollTop) {
        element.scrollTop = top;
      } else if (top + ROW_HEIGHT + head >
                 element.scrollTop + element.clientHeight) {
        element.scrollTop = top + ROW_HEIGHT + head - element.clientHeight;
      }
    };
    // Whichever part of the page opens a layer, the table goes there.
    useLayoutEffect(() => {
      const index = rows.findIndex((row) => row.get('name') === state.layer);
      if (index >= 0) {
        setCursor(index);
        reveal(index);
      }
    }, [state.layer]);

    const move = (index) => {
      const next = Math.min(Math.max(index, 0), rows.length - 1);
      setCursor(next);
      reveal(next);
      // An open panel follows.
      if (state.layer !== null && rows[next]) {
        page.openLayer(rows[next].get('name'));
      }
    };
    const key = (event) => {
      if (event.target !== event.currentTarget) return;
      const step = Math.max(1, Math.floor(height / ROW_HEIGHT) - 2);
      const next = {ArrowUp: at - 1, ArrowDown: at + 1, PageUp: at - step,
                    PageDown: at + step, Home: 0, End: rows.length - 1,
      }[event.key];
      if (next !== undefined) {
        move(next);
      } else if ((event.key === 'Enter' || event.key === ' ') && rows[at]) {
        page.openLayer(rows[at].get('name'));
      } else {
        return;
      }
      event.preventDefault();
    };
    const sortBy = (column) => {
      setSort(sort.key === column.key ?
        {key: column.key, down: !sort.down} :
        // The bad end first.
        {key: column.key, down: column.numeric && column.worse > 0 &&
                                column.key !== 'index'});
      setCursor(0);
      box.current.scrollTop = 0;
    };
    const toggle = (name) => {
      const next = new Set(shown);
      if (!next.delete(name)) next.add(name);
      setShown(next);
    };

    const first = state.printing ? 0 :
        Math.max(0, Math.min(topRow, rows.length) - SPARE_ROWS);
    const most = Math.ceil(height / ROW_HEIGHT) + 2 * SPARE_ROWS + STEP_ROWS;
    const last = state.printing ? rows.length :
        Math.min(rows.length, first + most);
    const active = rows[at] && at >= first && at < last ?
        'row-' + rows[at].get('index') : undefined;
    const total = columns.reduce(
        (sum, column) => sum + widths.get(column.key), 0);
    const spacer = (height) => height > 0 && html`<tr class="spacer"
        aria-hidden="true"><td colspan=${columns.length}
        style=${{height: height + 'px'}}></td></tr>`;
    return html`<div>
      <div class="bar">
        <h2>Layers</h2>
        <label class="filter"><span class="hidden">Filter layers</span>
          <input id="filter" type="search" placeholder=${'Filter: ' +
              state.filterExamples.slice(0, 2).join(' ')}
              autocomplete="off" spellcheck=${false} value=${text}
              aria-describedby="filter-hint" aria-invalid=${String(
                Boolean(filter.error))}
              onInput=${(event) => setText(event.target.value)} /></label>
        <span id="count" role="status">${rows.length === state.rows.length ?
          rows.length + ' layers' :
          rows.length + ' of ' + state.rows.length + ' layers'}</span>
        <span class="space"></span>
        <button type="button" id="save-csv" onClick=${() => page.saveBlob(
      new Blob([page.csvOf(rows, columns)], {type: 'text/csv'}),
      page.stem() + '.csv')}>Save CSV</button>
        <${ColumnMenu} columns=${state.columns} shown=${shown}
            onChange=${toggle} />
      </div>
      <p class=${filter.error ? 'hint error' : 'hint'} id="filter-hint">${
        filter.error || html`Words that all have to hold, of any column:
          ${' '}${state.filterExamples.map((word) =>
            html`<code key=${word}>${word}</code>`)}`}</p>
      <div class="table-box" ref=${box} onScroll=${({target}) => setTopRow(
      Math.floor(target.scrollTop / ROW_HEIGHT / STEP_ROWS) * STEP_ROWS)}>
        <table role="grid" id="layer-table" tabindex="0" onKeyDown=${key}
            aria-label=${'Layers. Arrow keys move, Enter opens a layer.'}
            aria-rowcount=${rows.length + 1} aria-activedescendant=${active}
            style=${{minWidth: total + 'px'}}>
          <colgroup>${columns.map((column) => html`<col key=${column.key}
            style=${{width: widths.get(column.key) + 'px'}} />`)}</colgroup>
          <${Header} columns=${columns} sort=${sort} onSort=${sortBy} />
          <tbody>
            ${spacer(first * ROW_HEIGHT)}
            ${/* Rows that leave at one end come back at the other. */
      rows.slice(first, last).map((row, i) => html`<${Row}
              key=${state.printing ? i : (first + i) % most} row=${row}
              columns=${columns} index=${first + i} selected=${first + i === at}
              open=${row.get('name') === state.layer}
              onClick=${() => {
                setCursor(first + i);
                page.openLayer(row.get('name'));
              }} />`)}
            ${spacer((rows.length - last) * ROW_HEIGHT)}
          </tbody>
        </table>
        ${rows.length === 0 && html`<p class="empty">No layer passes the
          filter.</p>`}
      </div>
    </div>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});
