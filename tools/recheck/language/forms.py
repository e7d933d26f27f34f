"""FORM_RULES.md: rows that depend on choices, and the pass over all sequences that sets of ids give.

A form is a dict of balls by symbol: one row under None, the centre; under a place of sets one row for each id, of which
the sequence chooses; under any other symbol one row that a number from -1 to 1 multiplies.
"""

import itertools
from copy import copy
from fractions import Fraction
from math import isqrt
from operator import add, mul, sub

from ..arithmetic import inner
from ..checkpoint.forward import Balls, Failure, apply_map, bounded, logistic_ends, rounded, weight_ranges
from ..refusal import require
from .evaluation import embedded, keys_seen, normed
from .functions import ACTIVATIONS, activated

SMALL, NUMBERS = 10, 64  # bits after the point of what is small, and the numbers of an activated row


def chooses(symbol):
    return type(symbol) is int


def largest(rows):
    return max(max(map(abs, row)) for row in rows)


def entry_ends(form):
    """Of each coordinate what it lies in, whatever is chosen."""
    lows, highs = [0] * len(form[None].rows[0]), [0] * len(form[None].rows[0])
    for symbol, (rows, radii) in form.items():
        ends = [(min(x - r for x, r in zip(column, radii)), max(x + r for x, r in zip(column, radii))) for column in zip(*rows)]
        if symbol is not None and not chooses(symbol):
            ends = [(-max(-low, high), max(-low, high)) for low, high in ends]
        lows, highs = [*map(add, lows, (low for low, _ in ends))], [*map(add, highs, (high for _, high in ends))]
    return [*zip(lows, highs)]


def sum_of_forms(left, right):
    found = dict(left)
    for symbol, (rows, radii) in right.items():
        if symbol in found:
            own = found[symbol]
            rows, radii = [[*map(add, x, y)] for x, y in zip(own.rows, rows)], [*map(add, own.radii, radii)]
        found[symbol] = Balls(rows, radii)
    return found


class Products:
    """The inner product of two forms, by what is chosen."""

    def __init__(self, left, right):
        self.values, sizes = {}, []
        for form in (left, right):
            sizes.append((sum(max(radii) for _, radii in form.values()),
                          sum(max(sum(map(abs, row)) for row in rows) for rows, _ in form.values())))
        (r, size), (s, other) = sizes
        self.error = r * other + s * size + r * s * len(left[None].rows[0])
        for (a, (rows, _)), (b, (others, _)) in itertools.product(left.items(), right.items()):
            if a == b and (a is None or chooses(a)):
                key, found = (a,), [*map(inner, rows, others)]
            else:
                key = tuple(of for of in (a, b) if of is not None)
                found = [inner(x, y) for x in rows for y in others]
            self.values[key] = [*map(add, self.values[key], found)] if key in self.values else found

    def ends(self, less=None):
        """Whatever is chosen, less that with another form on the right."""
        error, low, high = self.error + (less.error if less else 0), 0, 0
        values = dict(self.values)
        for key, of in less.values.items() if less else ():
            values[key] = [*map(sub, values.get(key, [0] * len(of)), of)]
        for key, of in values.items():
            least, most = min(of), max(of)
            if any(symbol is not None and not chooses(symbol) for symbol in key):
                most = max(-least, most)
                least = -most
            low, high = low + least, high + most
        return low - error, high + error


class FormPass:
    """The pass over the product of lists of ids by free position."""

    def __init__(self, model, places, lists, p):
        self.model, self.places, self.lists, self.p = model, places, lists, p
        self.small, self.count = 1 << (p - SMALL), 0

    def number(self):
        self.count += 1
        return "number", self.count

    def fit(self, form):
        """What moves less than `small` becomes part of the centre, and so does what a term's rows have in common."""
        (centre,), (r,) = form[None]
        found = {}
        for symbol, (rows, radii) in form.items():
            if symbol is None:
                continue
            if chooses(symbol):
                ends = [(min(column), max(column)) for column in zip(*rows)]
                middle = [low + high >> 1 for low, high in ends]
                half = max(high - x for (_, high), x in zip(ends, middle))
                centre, rows = [*map(add, centre, middle)], [[*map(sub, row, middle)] for row in rows]
            else:
                half = largest(rows)
            half += max(radii)
            if half < self.small or chooses(symbol) and len(rows) == 1:
                r += half
            else:
                found[symbol] = bounded(Balls(rows, radii), self.p)
        return {None: bounded(Balls([centre], [r]), self.p), **found}

    def alone(self, form, function):
        """The form of `function` of each row where it has one term, which chooses, or none; None where it has others."""
        symbols = [symbol for symbol in form if symbol is not None]
        if not symbols:
            return {None: function(form[None])}
        if len(symbols) > 1 or not chooses(symbols[0]):
            return None
        (centre,), (r,) = form[None]
        rows, radii = form[symbols[0]]
        table = function(Balls([[*map(add, centre, row)] for row in rows], [r + s for s in radii]))
        return {None: Balls([[0] * len(table.rows[0])], [0]), symbols[0]: table}

    def mapped(self, of, forms):
        """y = W x + b."""
        linear = copy(of)
        linear.offsets = [0] * len(of.offsets)
        found = []
        for form in forms:
            own = {None: apply_map(of, form[None], self.p)}
            for symbol, balls in form.items():
                if symbol is not None:
                    own[symbol] = apply_map(linear, balls, self.p)
            found.append(self.fit(own))
        return found

    def each(self, forms, function):
        """A linear function of balls, of every row."""
        return [{symbol: function(balls) for symbol, balls in form.items()} for form in forms]

    def combination(self, weights, forms, one):
        """The sum of the forms times weights (a_k, b_k), which are 1 together where `one`."""
        p, width = self.p, len(forms[0][None].rows[0])
        middles = [(a + b) >> 1 for a, b in weights]
        found = {None: ([[0] * width], [0])}
        for m, form in zip(middles, forms):
            for symbol, (rows, radii) in form.items():
                if m == 0 and symbol is not None:
                    continue
                before, more = found.get(symbol, ([[0] * width for _ in rows], [0] * len(rows)))
                found[symbol] = ([[x + m * y for x, y in zip(*pair)] for pair in zip(before, rows)],
                                 [r + abs(m) * s for r, s in zip(more, radii)])
        (centre,), (radius,) = found[None]
        anchor = [x >> p if one else 0 for x in centre]
        centre = [x + ((1 << p) - sum(middles)) * y for x, y in zip(centre, anchor)]
        for (_, b), m, form in zip(weights, middles, forms):
            half = b - m
            if not half:
                continue
            (row,), (r,) = form[None]
            radius += half * (r + sum(largest(rows) + max(radii) for symbol, (rows, radii) in form.items() if symbol is not None))
            found[self.number()] = ([[half * (x - y) for x, y in zip(row, anchor)]], [0])
        found[None] = [centre], [radius]
        return self.fit({symbol: Balls([[x >> p for x in row] for row in rows], [-(-r >> p) + 1 for r in radii])
                         for symbol, (rows, radii) in found.items()})

    def normed(self, norm, forms, rms):
        model, p = self.model, self.p
        found = []
        for form in forms:
            own = self.alone(form, lambda balls: normed(balls, norm, model.epsilon, rms, p))
            if own is None:
                n = len(form[None].rows[0])
                by = 1 if rms else n
                away = {symbol: Balls([[by * x - (0 if rms else sum(row)) for x in row] for row in rows],
                                      [r if rms else 2 * n * r for r in radii]) for symbol, (rows, radii) in form.items()}
                low, high = Products(away, away).ends()
                roots = [isqrt(int((Fraction(x << 2 * p, n) + by * by * model.epsilon * (1 << 4 * p)) // 1)) + up
                         for x, up in ((max(0, low), 0), (high, 2))]
                if roots[0] <= 0:
                    raise Failure
                own = self.combination([((1 << 3 * p) // roots[1], -(-(1 << 3 * p) // roots[0]))], [away], False)
                own = {symbol: self.weighed(norm, balls, symbol is None) for symbol, balls in own.items()}
            found.append(self.fit(own))
        return found

    def weighed(self, norm, balls, biased):
        """Each coordinate times its weight, and its bias."""
        rows = [[g * x + ((b << self.p) if biased else 0) for (g,), x, b in zip(norm.rows, row, norm.offsets)] for row in balls.rows]
        most = max(abs(g) for (g,) in norm.rows)
        return rounded(rows, [most * r for r in balls.radii], norm.shift, self.p)

    def activated(self, forms):
        name, p, found = self.model.activation, self.p, []
        for form in forms:
            own = self.alone(form, lambda balls: activated(balls, name, p))
            if own is None:
                lines = [line_beside(name, low, high, p) for low, high in entry_ends(form)]
                own = self.by_columns(form, [slope for slope, _, _ in lines])
                middles = [low + high >> 1 for _, low, high in lines]
                halves = [high - x for (_, _, high), x in zip(lines, middles)]
                wide = sorted((c for c, half in enumerate(halves) if half >= self.small), key=lambda c: -halves[c])
                for c in wide[:NUMBERS]:
                    own[self.number()] = Balls([[halves[c] if k == c else 0 for k in range(len(halves))]], [0])
                    halves[c] = 0
                (row,), (r,) = own[None]
                own[None] = Balls([[*map(add, row, middles)]], [r + max(halves)])
            found.append(self.fit(own))
        return found

    def by_columns(self, form, factors):
        most = max(map(abs, factors))
        return {symbol: Balls([[x * f >> self.p for x, f in zip(row, factors)] for row in rows],
                              [-(-most * r >> self.p) + 1 for r in radii]) for symbol, (rows, radii) in form.items()}

    def product(self, left, right):
        found = []
        for one, other in zip(left, right):
            ends = [[(low + high >> 1, high - (low + high >> 1)) for low, high in entry_ends(of)] for of in (one, other)]
            (x, h), (y, k) = (map(list, zip(*of)) for of in ends)
            own = sum_of_forms(self.by_columns(one, y), self.by_columns(other, x))
            (row,), (r,) = own[None]
            own[None] = Balls([[c - (a * b >> self.p) for c, a, b in zip(row, x, y)]], [r + (-(-max(map(mul, h, k)) >> self.p)) + 1])
            found.append(self.fit(own))
        return found

    def embedded(self):
        length, rows = len(self.places), {}
        for t in sorted(set().union(*self.lists)):
            rows[t] = embedded(self.model, [t] * length, None, self.p)
        found = []
        for i, k in enumerate(self.places):
            of = [(rows[t].rows[i], rows[t].radii[i]) for t in self.lists[k]]
            found.append(self.fit({None: Balls([[0] * self.model.n], [0]), k: Balls(*map(list, zip(*of)))}))
        return found

    def attend(self, l, forms, first, seen):
        model, p, layer = self.model, self.p, self.model.layers[l]
        w, scale = model.width, isqrt((1 << 2 * p + 64) // model.width)

        def parts(name, of, heads, norm=None):
            norm, found = layer.norms.get(norm), self.mapped(layer.maps[name], of)
            found = [[{symbol: Balls([row[h * w:(h + 1) * w] for row in rows], radii) for symbol, (rows, radii) in form.items()}
                      for form in found] for h in range(heads)]
            return [self.normed(norm, of, True) for of in found] if norm else found

        def turned(of, positions):
            if not model.rotary:
                return of
            return [{symbol: model.rotary.turned(balls, [i] * len(balls.rows), p) for symbol, balls in form.items()}
                    for form, i in zip(of, positions)]

        def over_root(balls):
            return rounded([[x * scale for x in row] for row in balls.rows],
                           [r * (scale + 1) + max(map(abs, row)) for row, r in zip(*balls)], p + 32, p)
        places, asked = range(len(forms)), forms[first:]
        keys = [turned(of, places) for of in parts("key", forms, model.key_heads, "key norm")]
        values = parts("value", forms, model.key_heads)
        gates = self.mapped(layer.maps["gate"], asked) if "gate" in layer.maps else None
        outputs, kind = [], model.attention
        for h, of in enumerate(parts("query", asked, model.heads, "query norm")):
            k, sees = h * model.key_heads // model.heads, keys_seen(model, l, h, None, len(forms))[first:]
            queries, own = self.each(turned(of, places[first:]), over_root), []
            for n, (query, see) in enumerate(zip(queries, sees)):
                weights = self.weights(layer.slots[h], query, keys[k], see)
                out = self.combination(weights, values[k], kind.slot == 0)
                if gates:
                    out = self.combination([logistic_ends(*entry_ends(gates[n])[h], p)], [out], False)
                own.append(out)
            seen(l, h, weights)
            outputs.append(own)
        joined = [self.side_by_side(of, w) for of in zip(*outputs)]
        return self.mapped(layer.maps["output"], joined)

    def side_by_side(self, parts, w):
        found, total = {}, w * len(parts)
        for h, form in enumerate(parts):
            for symbol, (rows, radii) in form.items():
                before, more = found.get(symbol, ([[0] * total for _ in rows], [0] * len(rows)))
                found[symbol] = Balls([x[:h * w] + y + x[(h + 1) * w:] for x, y in zip(before, rows)], [*map(max, more, radii)])
        return found

    def weights(self, slots, query, keys, see):
        p, kind, limit = self.p, self.model.attention, 1 << 2 * self.p

        def shifted(ends):
            ends = ends[0] >> p, -(-ends[1] >> p)
            if ends[0] <= -limit or ends[1] >= limit:
                raise Failure
            return ends
        products = [Products(query, keys[j]) for j in see]
        of_slots = [((z.numerator << p) // z.denominator, -((-z.numerator << p) // z.denominator)) for z in slots]
        found = weight_ranges(kind, of_slots + [shifted(of.ends()) for of in products], p, 1)[1:]
        if kind.kernel == "exp" and kind.slot == 0:
            for n, (low, high) in enumerate(found):
                if high - low >= self.small:
                    logits = [(0, 0) if m == n else shifted(of.ends(products[n])) for m, of in enumerate(products)]
                    least, most = weight_ranges(kind, logits, p, 1)[1:][n]
                    found[n] = max(low, least), min(high, most)
        line = [(0, 0)] * len(keys)
        for j, ends in zip(see, found):
            line[j] = ends
        return line

    def logits(self, seen):
        """The form of the last row's logits; `seen` is told a layer, a head and the weights of its last row."""
        model, forms = self.model, self.embedded()

        def norm(part, of, norms):
            return self.normed(norms[part], of, model.rms) if part in norms else of

        def perceptron(layer, of):
            inner_ = self.mapped(layer.maps["in"], of)
            if "factor" in layer.maps:
                inner_ = self.product(inner_, self.activated(self.mapped(layer.maps["factor"], of)))
            else:
                inner_ = self.activated(inner_)
            return self.mapped(layer.maps["out"], inner_)

        def added(left, right):
            return [self.fit(sum_of_forms(*of)) for of in zip(left, right)]
        for l, layer in enumerate(model.layers):
            first = len(forms) - 1 if l == len(model.layers) - 1 else 0
            out = self.attend(l, forms if model.after else norm("first", forms, layer.norms), first, seen)
            forms = forms[first:]
            middle = added(forms, out)
            middle = norm("first", middle, layer.norms) if model.after else middle
            if layer.inner:
                of = middle if model.after else norm("second", forms if model.parallel else middle, layer.norms)
                middle = added(middle, perceptron(layer, of))
            forms = norm("second", middle, layer.norms) if model.after else middle
        final = model.norms.get("final")
        forms = self.normed(final, forms, model.rms) if final else forms
        return self.mapped(model.head_map, self.mapped(model.out_of, forms) if model.out_of else forms)[0]


def form_words(model, length, ids, p):
    """What a pass holds; `ids` counts those of all free positions."""
    rows = 1 + ids + model.count * (length * model.heads + 2 * model.heads + 68)
    widest = max(model.n, model.size, *(layer.inner for layer in model.layers))
    return rows * (p // 64 + 4) * (length * 10 * widest + model.vocabulary)


def line_beside(name, low, high, p):
    """A slope, and what the activation less slope times x lies in, for x from low to high."""
    if name != "relu" and high - low <= 1 << p:
        def ends(x):
            return sorted(x * share for share in ACTIVATIONS[name](x, p))
        first, last = ends(low), ends(high)
        slope = ((last[0] - first[0]) // (high - low)) if high > low else 0
        bend = (high - low)**2 + 3 >> 2
        lows, highs = zip(*((a - slope * x, b - slope * x) for (a, b), x in ((first, low), (last, high))))
        return slope, min(lows) - bend >> p, -(-(max(highs) + bend) >> p)
    least = 0 if name == "relu" else (-3 << p) // 10  # no other lies further below relu
    if low >= 0:
        return 1 << p, least, 0
    if high <= 0:
        return 0, least, 0
    slope = (high << p) // (high - low)
    return slope, least, -(-max(-slope * low, ((1 << p) - slope) * high) >> p)


def margin_ends(logits, target, answers, places):
    """Ends of the target's logit less the largest of another answer, with the choices of each place."""
    slack, low, high, given = 2 * sum(max(radii) for _, radii in logits.values()), [], [], []
    for other in answers:
        if other == target:
            continue
        values = {symbol: [row[target] - row[other] for row in rows] for symbol, (rows, _) in logits.items()}
        values = {symbol: [of[t] for t in places[symbol]] if chooses(symbol) else of if symbol is None else [-abs(of[0]), abs(of[0])]
                  for symbol, of in values.items()}
        low.append(sum(map(min, values.values())))
        high.append(sum(map(max, values.values())))
        given.append({symbol: [high[-1] - max(of) + x for x in of] for symbol, of in values.items() if chooses(symbol)})
    tops = [max(map(min, zip(*(of[symbol] for of in given)))) for symbol in given[0]]
    return min(low) - slack, min([*high, *tops]) + slack


def form_figures(model, places, lists, parts, answers, statements, p):
    """Ends of the margin and of each statement's figure; `parts` are pairs of a target and lists of ids."""
    weights = {}

    def seen(l, h, line):
        weights[l, h] = line
    try:
        logits = FormPass(model, places, lists, p).logits(seen)
    except Failure:
        require(False, "a number of the pass is too large or its bounds are too wide")
    found, index = [], [{t: k for k, t in enumerate(of)} for of in lists]
    for x, of in parts:
        require(x in answers, f"the target {x} is not an answer")
        found.append(margin_ends(logits, x, answers, [[own[t] for t in ids] for own, ids in zip(index, of)]))
    margin = min(low for low, _ in found), max(high for _, high in found)
    ends = entry_ends(logits)
    return margin, [margin if of.figure == "margin" else weights[of.about[:2]][of.about[2] - 1] if of.figure == "attention" else
                    ends[of.about[0]] for of in statements]
