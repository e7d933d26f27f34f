"""How results look in a notebook: tables and charts in HTML and SVG, without scripts. Text of files is escaped."""
from html import escape

# From a light to a dark blue, so that figures differ in lightness; nothing rests on a hue.
LIGHT, DARK = (247, 251, 255), (8, 48, 107)
BAR = (66, 133, 214)  # seen on a white page and on a dark one


def table(rows):
    """An HTML table of dictionaries with the same keys."""
    if not rows:
        return "<p>no rows</p>"
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{escape(_text(value))}</td>" for value in row.values()) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def certification(result):
    """Properties with their bounds, and each [lower, upper] drawn on the axis from 0 to 1 where it lies there."""
    lines = []
    for each in result.properties.values():
        cells = [each.key, each.verdict, _text(each.lower_exact), _text(each.upper_exact)]
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + f"<td>{_interval(each.lower, each.upper)}</td></tr>")
    notes = "".join(f"<p>{escape(note)}</p>" for note in result.notes)
    return (f"<p>{escape(result.verdict)}: {escape(str(result.model['attention']))}, {_counted(result.model['num_layers'], 'layer')}, "
            f"{_counted(result.model['num_heads'], 'head')}, every input of length at most {result.length}</p>{notes}"
            "<table><thead><tr><th>property</th><th>verdict</th><th>lower</th><th>upper</th><th>0 to 1</th></tr></thead>"
            f"<tbody>{''.join(lines)}</tbody></table>")


def cover(result):
    """The counts, and each figure's least and greatest value; ranges of attention are drawn on the axis from 0 to 1."""
    lines = []
    for key, each in result.figures.items():
        ends = [f"[{end.lower_exact}, {end.upper_exact}]" for end in (each.least, each.greatest)]
        chart = _interval(each.least.lower, each.greatest.upper) if each.property == "attention" else ""
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (key, *ends)) + f"<td>{chart}</td></tr>")
    figures = ("<table><thead><tr><th>figure</th><th>least</th><th>greatest</th><th>0 to 1</th></tr></thead>"
               f"<tbody>{''.join(lines)}</tbody></table>") if lines else ""
    note = f"<p>{escape(result.remarks)}</p>" if result.remarks else ""
    return (f"<p>{escape(result.verdict)}: right {result.right}, wrong {result.wrong}, undecided {result.undecided} of "
            f"{result.sequences} sequences</p>{note}{figures}")


def audit(result):
    """The mean over sequences of alpha, a cell for each head: layers downwards, heads to the right."""
    mean = result.mean["alpha"]
    size, left, top = 24, 56, 30
    cells = []
    for layer in range(result.layers):
        for head in range(result.heads):
            share = min(1.0, max(0.0, float(mean[layer, head])))
            colour = ",".join(str(round(a + (b - a) * share)) for a, b in zip(LIGHT, DARK))
            cells.append(f'<rect x="{left + size * head}" y="{top + size * layer}" width="{size}" height="{size}" '
                         f'fill="rgb({colour})"><title>layer {layer}, head {head}: {share:.4f}</title></rect>')
    labels = [f'<text x="{left - 4}" y="{top + size * layer + 16}" text-anchor="end">{layer}</text>' for layer in range(result.layers)]
    labels += [f'<text x="{left + size * head + 12}" y="{top - 4}" text-anchor="middle">{head}</text>' for head in range(result.heads)]
    width, height = left + size * result.heads + 8, top + size * result.layers + 8
    chart = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-size="11" font-family="sans-serif" '
             'fill="currentColor" role="img" aria-label="Mean attention by layer and head; darker is more">'
             f'<text x="{left}" y="11">head</text><text x="2" y="{top + 16}">layer</text>{"".join(labels)}{"".join(cells)}</svg>')
    kind = "enclosed; the chart shows estimates" if result.enclosures else "estimates in float64"
    return (f"<p>{escape(result.architecture)}: mean attention of each head on position {result.position}, "
            f"{result.count} sequences, {kind}. Sink share above {result.epsilon:g}: {result.sink_share:.4f}</p>{chart}<p>From 0 (light) to 1 (dark).</p>")


def _interval(lower, upper):
    if lower is None or upper is None or not 0 <= lower <= upper <= 1:
        return ""
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="164" height="12" role="img" '
            f'aria-label="from {lower:.4g} to {upper:.4g}"><rect x="2" y="5" width="160" height="1" fill="#999"/>'
            f'<rect x="{2 + 160 * lower - 1:.2f}" y="1" width="{160 * (upper - lower) + 2:.2f}" height="9" fill="rgb{BAR}"/></svg>')


def _counted(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def _text(value):
    return "" if value is None else str(value)
