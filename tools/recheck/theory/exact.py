"""FORMAT.md, sections 3.3 and 3.4: rules `implication` and `polynomial-identity`."""

from math import lcm

from ..arithmetic import integer_over
from ..envelope import MAX_FACTORS, array, fields, parse_json, rational, same_json
from ..hashes import own_statement
from ..refusal import require
from .polynomials import Polynomial, expand, is_name, plus, same, sign_at, times


def check_statement(claim, step, names):
    """Sections 3.3 and 3.4, beginning: the statement is the file's; returns it and its variables."""
    statement = own_statement(claim, step, ("variables",) + names)
    variables = array(statement["variables"], "variables")
    require(1 <= len(variables) <= 64 and all(is_name(x) for x in variables), "variables are not 1 to 64 names")
    require(all(x < y for x, y in zip(variables, variables[1:])), "variables are not strictly increasing")
    return statement, variables


def check_implication(claim, step):
    """Section 3.3."""
    statement, variables = check_statement(claim, step, ("hypotheses", "conclusion"))
    own = parse_json(claim.files[step["file"]])
    stated = [of["solvers"] for of in (own, step) if "solvers" in of]
    require(stated in ([], [["cvc5", "z3"]] * 2), "solvers is not cvc5 and z3 in the file and the step")
    evidence = fields(step["evidence"], ("multiplier", "terms", "cofactors", "witness"), "evidence")
    hypotheses, relation = {}, {}
    for item in array(statement["hypotheses"], "hypotheses"):
        name = fields(item, ("name", "polynomial", "relation"), "a hypothesis")["name"]
        require(is_name(name), "a hypothesis's name is not a name")
        require(not hypotheses or name > next(reversed(hypotheses)), "hypotheses are not strictly increasing")
        require(item["relation"] in (">", ">=", "="), "unknown relation")
        hypotheses[name], relation[name] = expand(item["polynomial"], variables), item["relation"]
    goal = fields(statement["conclusion"], ("polynomial", "relation"), "conclusion")
    require(goal["relation"] in (">", ">=", "="), "unknown relation")

    def weighted_product(item, relations, what):
        """coefficient * product of factors; the factors' relations must be among `relations`."""
        coefficient = rational(item["coefficient"], f"{what}'s coefficient")
        require(coefficient > 0, f"{what}'s coefficient is not positive")
        result = Polynomial({0: coefficient.numerator}, coefficient.denominator)
        require(len(array(item["factors"], f"{what}'s factors")) <= MAX_FACTORS, f"{what} has over {MAX_FACTORS} factors")
        for name in item["factors"]:
            require(type(name) is str and name in hypotheses, f"{what}'s factor is not a hypothesis")
            require(relation[name] in relations, f"{what}'s factor has the wrong relation")
            result = times(result, hypotheses[name])
        return result

    fields(evidence["multiplier"], ("coefficient", "factors"), "multiplier")
    multiplier = weighted_product(evidence["multiplier"], (">",), "the multiplier")
    terms, strict, total = array(evidence["terms"], "terms"), False, Polynomial({}, 1)
    for term in terms:
        fields(term, ("coefficient", "factors", "square"), "a term")
        square = expand(term["square"], variables)
        product = weighted_product(term, (">", ">="), "a term")
        total = plus(total, times(times(product, square), square))
        constant = list(square.terms) == [0]
        strict = strict or (constant and all(relation[name] == ">" for name in term["factors"]))
    require(goal["relation"] != "=" or not terms, "an equation has terms")
    require(goal["relation"] != ">" or strict, "no term is certainly positive")
    for item in array(evidence["cofactors"], "cofactors"):
        name = fields(item, ("hypothesis", "polynomial"), "a cofactor")["hypothesis"]
        require(type(name) is str and relation.get(name) == "=", "a cofactor's hypothesis is not an equation")
        total = plus(total, times(expand(item["polynomial"], variables), hypotheses[name]))
    require(same(times(multiplier, expand(goal["polynomial"], variables)), total), "the two sides differ")
    witness = fields(evidence["witness"], tuple(variables), "witness")
    point = [rational(witness[x], "a number of the witness") for x in variables]
    unit = lcm(*(x.denominator for x in point))
    point = [integer_over(unit, x) for x in point]
    for name, polynomial in hypotheses.items():
        sign = sign_at(polynomial, point, unit)
        holds = {">": sign > 0, ">=": sign >= 0, "=": sign == 0}[relation[name]]
        require(holds, f"the hypothesis {name} fails at the witness")


def check_identity(claim, step):
    """Section 3.4."""
    statement, variables = check_statement(claim, step, ("identities",))
    last = ""
    require(array(statement["identities"], "identities"), "identities is empty")
    for item in statement["identities"]:
        name = fields(item, ("name", "left", "right"), "an identity")["name"]
        require(is_name(name) and name > last, "identities are not strictly increasing names")
        last = name
        require(not same_json(item["left"], item["right"]), f"{name}: both sides are the same text")
        sides = [expand(item[side], variables) for side in ("left", "right")]
        require(same(*sides), f"{name}: the two sides differ")
