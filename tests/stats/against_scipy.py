#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Welch's and Mann-Whitney's p of the engine beside scipy's, on many random data sets: they agree to 1e-6."""
import random
import subprocess
import sys

try:
    import scipy
    from scipy import stats
except ImportError as error:
    print(f"skipped: scipy: {error} (package python3-scipy)")
    sys.exit(0)

SETS = 3000
LIMIT = 1e-6


def draw(rng, n, shape, shift):
    """n values; shape 'ties' has few different ones."""
    if shape == "normal":
        return [100 + shift + rng.gauss(0, 3) for _ in range(n)]
    if shape == "log-normal":
        return [(1 + shift / 100) * rng.lognormvariate(5, 0.8) for _ in range(n)]
    if shape == "ties":
        return [float(rng.randint(20, 24) + round(shift)) for _ in range(n)]
    return [1e5 + shift + rng.random() for _ in range(n)]


def main():
    rng = random.Random(20261121)
    sets = []
    for i in range(SETS):
        shape = ("normal", "log-normal", "ties", "large")[i % 4]
        most = (8, 60, 300)[i % 3]
        shift = rng.choice((0, 0, 1, 3, 10))
        sets.append((draw(rng, rng.randint(2, most), shape, 0), draw(rng, rng.randint(2, most), shape, shift)))
    text = "".join(" ".join(map(repr, a)) + " ; " + " ".join(map(repr, b)) + "\n" for a, b in sets)
    lines = subprocess.run([sys.argv[1]], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) == SETS, f"{len(lines)} lines for {SETS} data sets"

    worst = {"Welch": 0.0, "Mann-Whitney, exact": 0.0, "Mann-Whitney, normal": 0.0}
    counts = dict.fromkeys(worst, 0)

    def near(what, ours, theirs, a, b):
        if theirs != theirs:  # scipy: no variance at all
            assert ours != ours or ours == 1, f"{what}: {ours} where scipy knows none: {a} {b}"
            return
        counts[what] += 1
        worst[what] = max(worst[what], abs(ours - theirs))
        assert abs(ours - theirs) <= LIMIT, f"{what}: {ours!r} is not {theirs!r}: {a} {b}"

    for (a, b), line in zip(sets, lines):
        _, _, welch, p = (float(x) for x in line.split())
        if len(set(a)) > 1 or len(set(b)) > 1:
            near("Welch", welch, stats.ttest_ind(a, b, equal_var=False).pvalue, a, b)
        exact = len(set(a + b)) == len(a) + len(b) and len(a) < 50 and len(b) < 50
        theirs = stats.mannwhitneyu(a, b, alternative="two-sided", method="exact" if exact else "asymptotic", use_continuity=True)
        near("Mann-Whitney, exact" if exact else "Mann-Whitney, normal", p, theirs.pvalue, a, b)
    for what, difference in worst.items():
        assert counts[what] > SETS / 10, f"{what}: only {counts[what]} data sets"
        print(f"passed: {what}: {counts[what]} data sets, greatest difference of p from scipy {scipy.__version__}'s {difference:.1e}")


if __name__ == "__main__":
    main()
