// What the page can do beyond being read: enlarge a heat map, read its cells one by one, pick one of
// many, switch all maps to a logarithmic scale, sort a table. Without it nothing else is lost: cells keep their hover
// titles and the scale from 0.
(function () {
  "use strict";
  var root = document.documentElement;
  var dialog = document.getElementById("large");
  if (!dialog || !dialog.showModal) return;
  root.classList.add("js");

  function all(selector, within) {
    return Array.prototype.slice.call((within || document).querySelectorAll(selector));
  }

  // ---- the colour scale of all maps

  var scaleButtons = all(".scale button");

  function setLogarithmic(on) {
    root.classList.toggle("log", on);
    scaleButtons.forEach(function (button) { button.setAttribute("aria-pressed", String(on)); });
  }

  scaleButtons.forEach(function (button) {
    button.addEventListener("click", function () { setLogarithmic(!root.classList.contains("log")); });
  });

  // ---- the cells of a map. A map knows its grid (data-left, -top, -pitch), what its rows and columns
  // stand for, and in each row's data-a the numbers that row has. An attention matrix has positions
  // for both (data-positions), and each row as many weights as it has keys; another map says what its
  // axes (data-row, -column) and its numbers (data-what) are.

  function mapOf(pick, readout) {
    var svg = pick.querySelector("svg");
    var rows = all("g[data-a]", svg);
    var data = svg.dataset;
    var positions = data.positions && data.positions.split(" ");
    return {
      svg: svg,
      readout: readout,
      left: Number(svg.dataset.left),
      top: Number(svg.dataset.top),
      pitch: Number(svg.dataset.pitch),
      rowNames: positions || data.rows.split("|"),
      columnNames: positions || data.columns.split("|"),
      words: [data.row || "row", data.column || "key", data.what || "a ="],
      rows: rows.map(function (row) { return row.dataset.a.split(" "); }),
      nulls: rows.map(function (row) { return row.dataset.null; }),
      row: -1,
      column: -1,
      cursor: null
    };
  }

  function show(map, row, column) {
    if (row < 0 || row >= map.rows.length || column < 0 || column >= map.rows[row].length) return false;
    map.row = row;
    map.column = column;
    if (!map.cursor) {
      map.cursor = document.createElementNS(map.svg.namespaceURI, "rect");
      map.cursor.setAttribute("class", "cursor");
      map.cursor.setAttribute("width", map.pitch);
      map.cursor.setAttribute("height", map.pitch);
      map.svg.appendChild(map.cursor);
    }
    map.cursor.setAttribute("x", map.left + column * map.pitch - 0.5);
    map.cursor.setAttribute("y", map.top + row * map.pitch - 0.5);
    map.readout.textContent = map.words[0] + " " + map.rowNames[row] + ", " + map.words[1] + " " +
        map.columnNames[column] + ": " + map.words[2] + " " + map.rows[row][column] +
        (map.nulls[row] === undefined ? "" : "; null slot " + map.nulls[row]);
    return true;
  }

  function clear(map) {
    if (map.cursor) map.cursor.remove();
    map.cursor = null;
    map.row = map.column = -1;
    map.readout.textContent = "";
  }

  function pointed(map, event) {
    var matrix = map.svg.getScreenCTM();
    if (!matrix) return;
    var at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    show(map, Math.floor((at.y - map.top) / map.pitch), Math.floor((at.x - map.left) / map.pitch));
  }

  // The first arrow shows the last row's weight on the sink; Home and End go along a row.
  function moved(map, key) {
    var steps = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      Home: [0, -map.column], End: [0, Infinity]
    };
    if (!steps[key]) return false;
    if (map.row < 0) return show(map, map.rows.length - 1, 0);
    var row = Math.max(0, Math.min(map.rows.length - 1, map.row + steps[key][0]));
    show(map, row, Math.max(0, Math.min(map.rows[row].length - 1, map.column + steps[key][1])));
    return true;
  }

  // Makes the box around a map's drawing something the mouse and the keyboard can read.
  function attach(pick, readout) {
    var map = mapOf(pick, readout);
    pick.tabIndex = 0;
    readout.className = "readout num";
    readout.setAttribute("aria-live", "polite");
    pick.addEventListener("pointermove", function (event) { pointed(map, event); });
    pick.addEventListener("pointerdown", function (event) { pointed(map, event); });
    pick.addEventListener("pointerleave", function (event) {
      if (event.pointerType === "mouse") clear(map);
    });
    pick.addEventListener("blur", function () { clear(map); });
    pick.addEventListener("keydown", function (event) {
      if (!event.ctrlKey && !event.altKey && !event.metaKey && moved(map, event.key)) {
        event.preventDefault();
      }
    });
    return map;
  }

  // ---- one head, layer or sequence, picked from the maps of all

  all(".picker").forEach(function (picker) {
    var selects = all("select", picker);
    var section = picker.closest("section");
    var figures = all("[data-of]", section);

    function isPicked(figure) {
      return figure.dataset.of.split(" ").some(function (place) {
        return place.split("/").every(function (part, i) {
          return selects[i].value === "" || selects[i].value === part;
        });
      });
    }

    function apply() {
      figures.forEach(function (figure) { figure.hidden = !isPicked(figure); });
      var shown = figures.filter(function (figure) { return !figure.hidden; });
      all(".group", section).forEach(function (group) {
        group.hidden = !group.querySelector("[data-of]:not([hidden])");
      });
      section.classList.toggle("one", shown.length === 1);
      section.querySelector(".nothing").hidden = shown.length > 0;
    }

    selects.forEach(function (select) { select.addEventListener("change", apply); });
    apply();
  });

  // ---- the enlarged map

  var place = dialog.firstElementChild;
  var cameFrom = null;

  function enlarge(figure, map) {
    var row = map.row;
    var column = map.column;
    var pick = figure.querySelector(".pick").cloneNode(true);
    var caption = figure.querySelector("figcaption").cloneNode(true);
    var readout = document.createElement("p");
    all(".cursor", pick).forEach(function (cursor) { cursor.remove(); });
    ["role", "aria-haspopup"].forEach(function (name) { pick.removeAttribute(name); });
    pick.setAttribute("role", "group");
    pick.setAttribute("aria-label", pick.dataset.name + ". Arrow keys read the cells");
    place.textContent = "";
    place.append(pick, readout, caption);
    var large = attach(pick, readout);
    cameFrom = figure.querySelector(".pick");
    dialog.showModal();
    pick.focus();
    show(large, row, column);
  }

  all(".map").forEach(function (figure) {
    var pick = figure.querySelector(".pick");
    var readout = document.createElement("p");
    figure.appendChild(readout);
    var map = attach(pick, readout);
    pick.dataset.name = figure.getAttribute("aria-label");
    pick.setAttribute("role", "button");
    pick.setAttribute("aria-haspopup", "dialog");
    pick.setAttribute("aria-label", "Enlarge: " + pick.dataset.name + ". Arrow keys read the cells");
    pick.addEventListener("click", function () { enlarge(figure, map); });
    pick.addEventListener("keydown", function (event) {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      enlarge(figure, map);
    });
  });

  dialog.addEventListener("click", function (event) {
    if (event.target === dialog) dialog.close();
  });
  dialog.querySelector(".close").addEventListener("click", function () { dialog.close(); });
  dialog.addEventListener("close", function () {
    place.textContent = "";
    if (cameFrom) cameFrom.focus();
    cameFrom = null;
  });

  // ---- tables to sort: each column's heading is a button; a second press turns the order round.
  // A cell's number counts, data-sort where its text is no number; what is none comes last.

  function keyOf(row, column) {
    var cell = row.cells[column];
    var text = cell.dataset.sort || cell.textContent;
    return { text: text, number: parseFloat(text) };
  }

  function inOrder(a, b, numeric, sign) {
    if (!numeric) return sign * a.text.localeCompare(b.text, "en", { numeric: true });
    if (isNaN(a.number) || isNaN(b.number)) return isNaN(a.number) - isNaN(b.number);
    return sign * (a.number - b.number);
  }

  function sortBy(table, heading, column) {
    var sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    all("th[aria-sort]", table).forEach(function (other) { other.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    var numeric = table.tBodies[0].rows[0].cells[column].classList.contains("num");
    var rows = Array.prototype.slice.call(table.tBodies[0].rows);
    rows.map(function (row) { return { row: row, key: keyOf(row, column) }; })
        .sort(function (a, b) { return inOrder(a.key, b.key, numeric, sign); })
        .forEach(function (one) { table.tBodies[0].appendChild(one.row); });
  }

  all("table.sortable").forEach(function (table) {
    all("thead th", table).forEach(function (heading, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.textContent = heading.textContent;
      heading.textContent = "";
      heading.appendChild(button);
      button.addEventListener("click", function () { sortBy(table, heading, column); });
    });
  });

  // ---- what is folded opens where a link leads into it, and on paper

  function openTarget() {
    var target = document.getElementById(location.hash.slice(1));
    var fold = target && target.closest("details");
    if (fold && !fold.open) { fold.open = true; target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();

  var folded = [];
  window.addEventListener("beforeprint", function () {
    folded = all("details.claim:not([open])");
    folded.forEach(function (one) { one.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (one) { one.open = false; });
  });

  // ---- boxes that scroll sideways are stops for the keyboard only while there is something to
  // scroll

  function markScrollers() {
    all(".scroll").forEach(function (box) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  }
  window.addEventListener("resize", markScrollers);
  window.addEventListener("load", markScrollers);
  markScrollers();
})();
