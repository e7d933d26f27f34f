// What the tests ask of an open page. Each function is run in the page by its name.

// ---- colours, WCAG 2.2: relative luminance and contrast ratio

function channels(colour) {
  const parts = colour.match(/^rgba?\(([^)]*)\)$/);
  if (!parts) throw new Error("no colour: " + colour);
  const [r, g, b, a] = parts[1].split(/[ ,/]+/).map(Number);
  return [r, g, b, a === undefined ? 1 : a];
}

function over(front, back) {
  const a = front[3];
  return [0, 1, 2].map((i) => a * front[i] + (1 - a) * back[i]).concat([1]);
}

function luminance(colour) {
  const [r, g, b] = colour.slice(0, 3).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function background(element) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) {
    const colour = channels(getComputedStyle(at).backgroundColor);
    if (colour[3] > 0) layers.push(colour);
    if (colour[3] === 1) break;
  }
  return layers.reverse().reduce((back, front) => over(front, back), [255, 255, 255, 1]);
}

function name(element) {
  const css = element.getAttribute("class");
  return element.tagName.toLowerCase() + (css ? "." + css.trim().replace(/\s+/g, ".") : "");
}

function seen(element) { return element.checkVisibility({ visibilityProperty: true }); }

// The text that has too little contrast with what is behind it, once per kind of element.
function faintText(least) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = {};
  let checked = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(element)) continue;
    if (element.closest("title, desc, script, style")) continue;
    const style = getComputedStyle(element);
    if (Number(style.opacity) !== 1) faint[name(element)] = "opacity " + style.opacity;
    const back = background(element);
    const ratio = contrast(over(channels(element.closest("svg") ? style.fill : style.color), back), back);
    if (ratio < least) faint[name(element)] = ratio.toFixed(2) + ": " + walker.currentNode.data.trim();
    ++checked;
  }
  return { checked, faint };
}

// Of each kind of mark [selector, property], the least contrast with what is behind it; absent if there is none.
function markContrast(kinds) {
  const found = {};
  for (const [selector, property] of kinds) {
    for (const element of document.querySelectorAll(selector)) {
      if (!seen(element)) continue;
      const back = background(element);
      const ratio = contrast(over(channels(getComputedStyle(element)[property]), back), back);
      found[selector] = Math.min(ratio, found[selector] === undefined ? Infinity : found[selector]);
    }
  }
  return found;
}

// ---- keyboard

const kStops = "a[href], button, input, select, textarea, summary, [tabindex='0']";

// Numbers all stops of the Tab key that can be seen; how many there are.
function numberStops() {
  let count = 0;
  for (const element of document.querySelectorAll(kStops)) {
    if (seen(element) && !element.disabled) element.dataset.stop = count++;
  }
  return count;
}

// Where the focus is: its number, whether it has a name, and how its ring looks.
function focused() {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const style = getComputedStyle(element);
  const back = background(element.parentElement);
  return {
    stop: Number(element.dataset.stop),
    what: name(element),
    named: Boolean(element.getAttribute("aria-label") || element.textContent.trim()),
    ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 &&
        contrast(over(channels(style.outlineColor), back), back) >= 3,
    onScreen: element.getBoundingClientRect().bottom > 0
  };
}

// ---- drawings

function speechlessDrawings() {
  const wrong = [];
  let checked = 0;
  for (const svg of document.querySelectorAll("svg")) {
    if (svg.getAttribute("aria-hidden") === "true") continue;
    const text = (tag) => {
      const child = Array.from(svg.children).find((c) => c.tagName === tag);
      return child ? child.textContent.trim() : "";
    };
    if (svg.getAttribute("role") !== "img" || !text("title") || !text("desc")) wrong.push(name(svg));
    ++checked;
  }
  return { checked, wrong };
}

// ---- widths

function tooWide() {
  const limit = document.documentElement.clientWidth + 0.5;
  const wide = [];
  for (const element of document.querySelectorAll("body *")) {
    if (!seen(element)) continue;
    const box = element.closest(".scroll");
    if (box && box !== element) continue;
    if (element.closest("svg") && element.tagName !== "svg") continue;
    if (element.matches(".skip")) continue;
    if (element.getBoundingClientRect().right > limit) wide.push(name(element));
  }
  return { page: document.documentElement.scrollWidth, wide };
}

// ---- heat maps

function mapAt(index) { return document.querySelectorAll("main .map")[index]; }

// What a map says of itself: its weights, the titles and fills of its cells in the same order.
function mapData(index) {
  const svg = mapAt(index).querySelector("svg");
  const cells = Array.from(svg.querySelectorAll("g[data-a] path"));
  return {
    positions: svg.dataset.positions.split(" ").map(Number),
    rows: Array.from(svg.querySelectorAll("g[data-a]"), (g) => g.dataset.a.split(" ")),
    nulls: Array.from(svg.querySelectorAll("g[data-a]"), (g) => g.dataset.null || ""),
    titles: cells.map((cell) => cell.querySelector("title").textContent),
    fills: cells.map((cell) => getComputedStyle(cell).fill)
  };
}

// The middle of a cell in the window, after scrolling there.
function cellPlace(index, row, column) {
  const svg = mapAt(index).querySelector("svg");
  svg.scrollIntoView({ block: "center", behavior: "instant" });
  const cell = svg.querySelectorAll("g[data-a]")[row].querySelectorAll("path")[column];
  const box = cell.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

function readout(index) { return mapAt(index).querySelector(".readout").textContent; }

function barColours(kind) {
  return Array.from(document.querySelectorAll("main .legend." + kind)[0].querySelectorAll("path[class^=n]"),
                    (path) => getComputedStyle(path).fill);
}

function dialogState() {
  const dialog = document.getElementById("large");
  const svg = dialog.querySelector("svg");
  return {
    open: dialog.open,
    width: svg ? svg.getBoundingClientRect().width : 0,
    title: svg ? svg.querySelector("title").textContent : "",
    readout: dialog.querySelector(".readout") ? dialog.querySelector(".readout").textContent : "",
    holdsFocus: dialog.contains(document.activeElement),
    cursor: Boolean(svg && svg.querySelector(".cursor"))
  };
}

// Which map's box has the focus; -1 if none has.
function focusedMap() {
  return Array.from(document.querySelectorAll("main .map .pick")).indexOf(document.activeElement);
}

function focusMap(index) { mapAt(index).querySelector(".pick").focus(); }

// ---- layout: nothing but boxes, lines and colours, so that no machine's fonts matter

function withoutText() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("body, body * { font-size: 0 !important; letter-spacing: 0 !important; } " +
      "p, td, th, dd, dt, li { overflow-wrap: normal !important; } " +
      "::marker { content: none; } * { scroll-behavior: auto !important; }");
  document.adoptedStyleSheets = [sheet];
  return [document.documentElement.clientWidth, document.documentElement.scrollHeight];
}
