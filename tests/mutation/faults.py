# SPDX-License-Identifier: MIT
"""Small deliberate faults: where in the C sources one can be put, the seeded draw of them, and the list that keeps them.

A fault is one changed line of a function. It is found again by the function's name, the line's text and which of the
equal lines of that function it is, so that the list survives changes of the rest of the file.
"""
import random
import re
import subprocess
from collections import namedtuple
from pathlib import Path

LAYERS = ("sys", "engine", "bench", "load", "out", "cmd")

# occurrence: which of the equal lines in the function, from 1.
Fault = namedtuple("Fault", "kind path function occurrence line replacement")
Line = namedtuple("Line", "path number function occurrence text masked following")


# --- Reading C. ---

def masked(text):
    """The text with comments and preprocessor lines blanked and the inside of strings made '~'; as long as the text."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    def quote(match):
        token = match.group()
        return blank(match) if token[0] == "/" else token[0] + "~" * (len(token) - 2) + token[-1]

    text = re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", quote, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def function_spans(code):
    """Name, first and last character of each function's body. Tables at file scope are none."""
    depth, start = 0, 0
    for match in re.finditer(r"[{}]", code):
        if match.group() == "{":
            if depth == 0:
                start = match.start()
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            head = code[max(0, start - 1000):start].rstrip()
            name = re.search(r"(\w+)\s*\((?:[^()]|\([^()]*\))*\)$", head)
            if name:
                yield name.group(1), start, match.start()


def lines_of(path, text):
    """The lines within functions that have code on them."""
    code = masked(text)
    texts, codes = text.split("\n"), code.split("\n")
    for function, first, last in function_spans(code):
        seen = {}
        for number in range(code.count("\n", 0, first) + 1, code.count("\n", 0, last)):
            key = texts[number].strip()
            seen[key] = seen.get(key, 0) + 1
            if re.search(r"\w", codes[number]):
                following = codes[number + 1].strip()
                yield Line(path, number, function, seen[key], texts[number], codes[number], following)


def matching(code, opening):
    """Where the bracket that opens there is closed on this line; -1 when it is not."""
    depth = 0
    for at in range(opening, len(code)):
        depth += code[at] in "([{"
        depth -= code[at] in ")]}"
        if depth == 0:
            return at
    return -1


# --- The kinds of faults. Each gives (begin, end, replacement) for a line. ---

def sign(line):
    """+ for -, or - for +."""
    for match in re.finditer(r"(?<=[\w)\]]) ([+-])(=?) (?=[\w(*&])", line.masked):
        yield match.start(1), match.end(1), "-" if match.group(1) == "+" else "+"


def off_by_one(line):
    """A bound, a start or a step that is one too large or too small."""
    for match in re.finditer(r" [+-] 1(?![\w.])", line.masked):
        yield match.start(), match.end(), ""
    for match in re.finditer(r"(?<== )0(?=;)", line.masked):
        yield match.start(), match.end(), "1"
    for match in re.finditer(r"(?<=[<>] )([a-z]\w*(?:(?:->|\.)\w+)*)(?=;| [&|]{2}|\)$)", line.masked):
        yield match.end(), match.end(), " - 1"
    for match in re.finditer(r"\[(\w+)\](?! =[^=])", line.masked):
        if not match.group(1).isdigit() and not match.group(1).isupper():
            yield match.end(1), match.end(1), " + 1"


def relation(line):
    """< for <=, and so on."""
    swap = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
    for match in re.finditer(r"(?<= )(<=|>=|<|>|==|!=)(?= )", line.masked):
        yield match.start(), match.end(), swap[match.group()]


def logic(line):
    """&& for ||, or || for &&."""
    for match in re.finditer(r"&&|\|\|", line.masked):
        yield match.start(), match.end(), "||" if match.group() == "&&" else "&&"


def swapped_arguments(line):
    """Two neighbouring arguments of a call, one for the other."""
    for match in re.finditer(r"\b(?!if\b|while\b|for\b|switch\b|return\b|sizeof\b)[a-z]\w*\(", line.masked):
        end = matching(line.masked, match.end() - 1)
        cuts, depth = [match.end()], 0
        for at in range(match.end(), end):
            depth += line.masked[at] in "([{"
            depth -= line.masked[at] in ")]}"
            if depth == 0 and line.masked[at] == ",":
                cuts.append(at + 1)
        cuts.append(end + 1)
        for first, second, third in zip(cuts, cuts[1:], cuts[2:]):
            one, two = line.text[first:second - 1].strip(), line.text[second:third - 1].strip()
            if one != two and '"' not in one + two:
                yield first, third - 1, (" " if line.text[first] == " " else "") + two + ", " + one


# Values that stand beside each other in rows, structures and lists, and are easily taken for one another.
TWINS = ("min max", "low high", "lo hi", "first last", "start end", "begin end", "voluntary involuntary", "mean median",
         "p90 p99", "p99 p999", "user system", "read write", "minor major", "before after", "old new", "soft hard",
         "wall cpu", "sd mean", "lower upper", "left right", "width height", "x y", "x1 x2", "y1 y2", "head tail",
         "offset size", "n_samples n_rows", "count total", "numerator denominator", "a b", "rows columns", "from to")


def swapped_names(line):
    """A field or a variable whose twin stands beside it."""
    for pair in TWINS:
        one, two = pair.split()
        for name, other in ((one, two), (two, one)):
            for match in re.finditer(rf"(?<![^\W_]){name}(?![^\W_])(?!\()", line.masked):
                yield match.start(), match.end(), other


def dropped_call(line):
    """A call whose value nobody reads: a row, a write, a clean-up that does not happen."""
    match = re.match(r"\s*((?:\(void\))?[a-z]\w*\(.*\));$", line.masked)
    if match and matching(line.masked, line.masked.index("(", match.start(1) + 6
                          if match.group(1).startswith("(void)") else match.start(1))) == match.end(1) - 1:
        yield match.start(1), match.end(1), "(void)0"


def dropped_assignment(line):
    """A field that is not filled in, a sum that is not added to."""
    match = re.match(r"\s*(\w[\w.\[\]>-]*(?:->|\.)\w+(?:\[\w+\])? [-+|&]?= [^;]+);$", line.masked)
    if match:
        yield match.start(1), match.end(1), "(void)0"


def condition(line):
    """Begin and end of what an if or a while of this line asks; None when it does not end here."""
    match = re.match(r"\s*(?:\} else )?(?:if|while) \(", line.masked)
    if not match:
        return None
    end = matching(line.masked, match.end() - 1)
    return (match.end(), end) if end > 0 else None


def dropped_check(line):
    """A failure that is not seen: what is asked still runs, the return does not."""
    found = condition(line)
    if found and "while" not in line.masked and re.match(r"(return|goto|continue|break)\b", line.following):
        yield *found, f"({line.text[slice(*found)]}) && 0"


def negated_condition(line):
    """An if, a while or a choice the wrong way round."""
    found = condition(line)
    if found:
        yield *found, f"!({line.text[slice(*found)]})"
    match = re.search(r"(?:return|=) ([^;?=]+) \? ", line.masked)
    if match:
        yield match.start(1), match.end(1), f"!({line.text[slice(*match.span(1))]})"


UNITS = {"1000": "1024", "1024": "1000", "1e3": "1e6", "1e6": "1e3", "1e9": "1e6", "1000000": "1000", "100": "1000",
         "1000000000": "1000000", "60": "100", "3600": "60", "10": "8", "100.0": "1000.0", "1000.0": "1024.0"}


def wrong_unit(line):
    """A factor between two units that is that of other units."""
    for match in re.finditer(r"(?<=[*/%=,(] )(\d[\de.]*)(?=[uUlL]*\b)", line.masked):
        if match.group(1) in UNITS:
            yield match.start(1), match.end(1), UNITS[match.group(1)]
    for match in re.finditer(r"\b(NS|US|MS|S)_PER_(US|MS|S|MINUTE)\b", line.masked):
        yield match.start(), match.end(), "NS_PER_MS" if match.group() != "NS_PER_MS" else "NS_PER_US"


def wrong_constant(line):
    """Another number, or the other truth value."""
    for match in re.finditer(r"(?<![\w.])(\d+)(?=[uUlL]*(?![\w.]))", line.masked):
        value = match.group(1)
        yield match.start(), match.end(), "1" if value == "0" else str(int(value) + 1)
    for match in re.finditer(r"(?<![\w.])(\d+\.\d+)(?![\w.])", line.masked):
        yield match.start(), match.end(), repr(float(match.group()) * 2 or 1.0)
    for match in re.finditer(r"\b(true|false)\b", line.masked):
        yield match.start(), match.end(), "false" if match.group() == "true" else "true"


KINDS = (sign, off_by_one, relation, logic, swapped_arguments, swapped_names, dropped_call, dropped_assignment,
         dropped_check, negated_condition, wrong_unit, wrong_constant)


def faults_of(kind, line):
    for begin, end, replacement in kind(line):
        changed = line.text[:begin] + replacement + line.text[end:]
        yield Fault(kind.__name__, line.path, line.function, line.occurrence, line.text.strip(), changed.strip())


def same_by_construction(fault):
    """Why no run could tell the fault from the original, None when nothing is known to say so."""
    if fault.kind == "swapped_arguments" and not re.search(r"return.*strcmp|strcmp\([^()]*\) [<>]", fault.line):
        both = [re.sub(r"\bstrcmp\(([^(),]*), ([^(),]*)\)", lambda call: f"strcmp{sorted(call.groups())}", line)
                for line in fault[4:6]]
        if both[0] == both[1]:
            return "two texts are equal whichever comes first"
    return None


# --- The draw. ---

def built_sources(top):
    """What make builds on this machine: the other architectures' files are not run here."""
    database = subprocess.run(["make", "-pn"], cwd=top, capture_output=True, text=True, check=True).stdout
    found = re.search(r"^SOURCES := (.*)$", database, re.M).group(1).split()
    return sorted(path for path in found if path.count("/") > 1)


def quotas(weights, count):
    """Count shared out in proportion to the weights, by largest remainders."""
    total = sum(weights.values())
    shares = {name: count * weight // total for name, weight in weights.items()}
    rest = sorted(weights, key=lambda name: -(count * weights[name] % total))
    for name in rest[:count - sum(shares.values())]:
        shares[name] += 1
    return shares


def draw(top, seed, count, unfit):
    """Count faults, the layers by their lines of code, the kinds in turn, and with reasons those that were replaced by
    the next of the draw; unfit says why a fault is no fault, or None."""
    chance = random.Random(seed)
    lines = {layer: [] for layer in LAYERS}
    for path in built_sources(top):
        lines[path.split("/")[1]] += lines_of(path, (Path(top) / path).read_text())
    chosen, replaced, places, turn = [], [], set(), []
    for layer, quota in quotas({layer: len(lines[layer]) for layer in LAYERS}, count).items():
        print(f"{layer}: {len(lines[layer])} lines of code in functions, {quota} faults")
        while quota:
            turn = turn or chance.sample(KINDS, len(KINDS))
            kind = turn.pop()
            choice = sorted(fault for line in lines[layer] for fault in faults_of(kind, line))
            chance.shuffle(choice)
            for fault in choice:
                place = fault[1:5]
                if place in places:
                    continue
                places.add(place)
                reason = same_by_construction(fault) or unfit(fault)
                if reason is None:
                    chosen.append(fault)
                    quota -= 1
                    break
                replaced.append((reason, fault))
                print(f"  replaced, {reason}: {fault.path}: {fault.function}: {fault.replacement}")
    return chosen, replaced


# --- The list. ---

def write_list(path, seed, faults, replaced):
    with open(path, "w") as file:
        file.write(f"# {len(faults)} deliberate faults, drawn by `tests/mutation/mutation.py draw --seed {seed} --count "
                   f"{len(faults)}` before any test was added for them.\n"
                   "# Each: number, kind, file, function, which of its equal lines; the line; what it is replaced by.\n")
        for number, fault in enumerate(faults, 1):
            file.write(f"\n{number} {fault.kind} {fault.path} {fault.function} {fault.occurrence}\n"
                       f"- {fault.line}\n+ {fault.replacement}\n")
        file.write("\n# Drawn too, and each replaced by the next of the draw before any test was run:\n")
        for reason, fault in replaced:
            file.write(f"# {fault.path} {fault.function}: {fault.replacement}: {reason}\n")


def read_list(path):
    faults = []
    for block in re.split(r"\n\s*\n", Path(path).read_text()):
        rows = [row for row in block.split("\n") if row and not row.startswith("#")]
        if rows:
            _, kind, file, function, occurrence = rows[0].split()
            faults.append(Fault(kind, file, function, int(occurrence), rows[1][2:], rows[2][2:]))
    return faults


def put_in(fault, text):
    """The file's text with the fault in it; None when the line is no more."""
    for line in lines_of(fault.path, text):
        if (line.function, line.occurrence, line.text.strip()) == (fault.function, fault.occurrence, fault.line):
            rows = text.split("\n")
            indent = line.text[:len(line.text) - len(line.text.lstrip())]
            rows[line.number] = indent + fault.replacement
            return "\n".join(rows)
    return None
