// Where boxes and edges of the graph are, given which modules are open. The
// places with everything open come from C++; here heights are stacked anew, as
// closed modules are as small as a node. No drawing, so that it can be tested.
(function (page) {
  'use strict';

  // The items (modules and cells) of each module, by rows.
  function rowsOfModules(layout) {
    const rows = layout.modules.map(
        (module) => Array.from({length: module.rows}, () => []));
    layout.modules.forEach((module, index) => {
      if (module.parent >= 0) {
        rows[module.parent][module.row].push({kind: 'module', index});
      }
    });
    layout.cells.forEach((cell, index) => {
      rows[cell.module][cell.row].push({kind: 'cell', index});
    });
    for (const items of rows) {
      for (const row of items) {
        const x = ({kind, index}) => (kind === 'cell' ? layout.cells :
            layout.modules)[index].x;
        row.sort((a, b) => x(a) - x(b));
      }
    }
    return rows;
  }

  // The module items that hold something in the root: opening modules that
  // are alone in their parent shows the first level that says anything.
  page.firstOpen = function (layout) {
    const open = new Set([0]);
    const rows = rowsOfModules(layout);
    let at = 0;
    for (;;) {
      const items = rows[at].flat();
      if (items.length !== 1 || items[0].kind !== 'module') return open;
      at = items[0].index;
      open.add(at);
    }
  };

  // The modules around a cell, from the inside to the root.
  page.modulesAround = function (layout, cell) {
    const path = [];
    for (let at = layout.cells[cell].module; at >= 0;
      at = layout.modules[at].parent) {
      path.push(at);
    }
    return path;
  };

  // Boxes in sight, in the order in which one reads them, the height of all,
  // and the box that stands for each cell.
  //
  // A box is {kind, index, id, x, y, width, height, depth, open}; x and y are
  // those of the float lane. An open module is a frame around its boxes.
  page.placeBoxes = function (layout, open) {
    const {sizes} = layout;
    const rows = rowsOfModules(layout);
    const boxes = [];
    const boxOfCell = new Array(layout.cells.length);

    // Modules are nested as deep as the user's code, so recursion is fine.
    const coverCells = (module, box) => {
      for (const {kind, index} of rows[module].flat()) {
        if (kind === 'cell') boxOfCell[index] = box;
        else coverCells(index, box);
      }
    };
    const placeItem = (item, y, depth) => {
      if (item.kind === 'cell') {
        const cell = layout.cells[item.index];
        const box = {kind: 'cell', index: item.index, id: 'c' + item.index,
                     x: cell.x, y, width: sizes.node_width,
                     height: sizes.node_height, depth};
        boxes.push(box);
        boxOfCell[item.index] = box;
        return sizes.node_height;
      }
      const module = layout.modules[item.index];
      if (!open.has(item.index)) {
        const box = {
          kind: 'module', index: item.index, id: 'm' + item.index,
          x: module.x + (module.width - sizes.node_width) / 2, y,
          width: sizes.node_width, height: sizes.node_height, depth,
          open: false};
        boxes.push(box);
        coverCells(item.index, box);
        return sizes.node_height;
      }
      const box = {kind: 'module', index: item.index, id: 'm' + item.index,
                   x: module.x, y, width: module.width, height: 0, depth,
                   open: true};
      boxes.push(box);
      const inner = placeRows(item.index,
          y + sizes.module_header + sizes.module_padding, depth + 1);
      box.height = sizes.module_header + 2 * sizes.module_padding + inner;
      return box.height;
    };
    const placeRows = (module, y, depth) => {
      const top = y;
      rows[module].forEach((row, number) => {
        if (number > 0) y += sizes.row_gap;
        y += row.reduce((tallest, item) =>
          Math.max(tallest, placeItem(item, y, depth)), 0);
      });
      return y - top;
    };
    const height = placeRows(0, 0, 0);
    return {boxes, boxOfCell, height};
  };

  // Edges between boxes in sight: {lane, from, to, path, top, bottom}, in the
  // coordinates of their lane. Equal ones are drawn once.
  page.placeEdges = function (layout, graph, placed) {
    const edges = [];
    for (const lane of ['float', 'quantized']) {
      const cellOf = new Map();
      layout.cells.forEach((cell, index) => {
        if (cell[lane] !== undefined) cellOf.set(cell[lane], index);
      });
      const inTheWay = obstacles(layout, placed, lane);
      const seen = new Set();
      for (const [source, target] of graph[lane].edges) {
        const from = placed.boxOfCell[cellOf.get(source)];
        const to = placed.boxOfCell[cellOf.get(target)];
        if (!from || !to || from === to) continue;
        const name = from.id + ' ' + to.id;
        if (seen.has(name)) continue;
        seen.add(name);
        edges.push({lane, from, to, ...curve(from, to, layout, inTheWay)});
      }
    }
    return edges;
  };

  // A function that says whether a box of the lane is between two heights and
  // reaches into a range of x.
  function obstacles(layout, placed, lane) {
    const boxes = placed.boxes.filter((box) => !box.open && (
      box.kind === 'cell' ? layout.cells[box.index][lane] !== undefined :
        layout.modules[box.index][lane] > 0)).sort((a, b) => a.y - b.y);
    return (top, bottom, left, right) => {
      let low = 0;
      let high = boxes.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (boxes[middle].y < top) low = middle + 1;
        else high = middle;
      }
      for (; low < boxes.length && boxes[low].y < bottom; low++) {
        const {x, width} = boxes[low];
        if (x < right && x + width > left) return true;
      }
      return false;
    };
  }

  // From the bottom of a box to the top of another: straight where nothing is
  // between, else down a gap between boxes.
  function curve(from, to, layout, inTheWay) {
    const {sizes} = layout;
    const x1 = from.x + from.width / 2;
    const y1 = from.y + from.height;
    const x2 = to.x + to.width / 2;
    const y2 = to.y;
    const top = Math.min(y1, y2);
    const bottom = Math.max(y1, y2);
    if (y2 >= y1 && !inTheWay(y1, y2, Math.min(x1, x2), Math.max(x1, x2))) {
      const bend = Math.min((y2 - y1) / 2, 3 * sizes.row_gap);
      return {top, bottom, skips: false,
              path: `M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - bend} ` +
                  `${x2},${y2}`};
    }
    const step = sizes.node_width / 2 + sizes.column_gap / 2;
    const gaps = [Math.max(x1, x2) + step, Math.min(x1, x2) - step];
    for (let x = gaps[0]; x < layout.width; x += 2 * step) gaps.push(x);
    const side = gaps.find((x) => x > 0 && x < layout.width &&
        !inTheWay(top, bottom, x - 2, x + 2)) ?? gaps[0];
    const turn = Math.min(sizes.row_gap, 24);
    return {top: top - turn, bottom: bottom + turn, skips: true,
            path: `M${x1},${y1}C${x1},${y1 + turn} ${side},${y1} ` +
                `${side},${y1 + turn}L${side},${y2 - turn}` +
                `C${side},${y2} ${x2},${y2 - turn} ${x2},${y2}`};
  }
})(globalThis.nsPage = globalThis.nsPage || {});
