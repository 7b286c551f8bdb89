"""docs/mechanisms.md from what tools/ablate.py measured."""

from collections import Counter

from stiction.solver.mechanisms import MECHANISMS

REFERENCE = "quiet_steps"
# A figure is worse where it is so many times as large, and larger by more than its least difference.
TIMES = 1.5
FIGURES = {
    "overlap": ("overlap [mm]", 1e3, 1e-5), "overlap_mean": ("overlap, mean over steps [mm]", 1e3, 1e-6),
    "residual": ("residual [m/s]", 1.0, 1e-5),
    "refused": ("steps not accepted", 1.0, 0.5), "deep": ("pairs left deep", 1.0, 0.5),
    "gain": ("energy gained in a step, part", 1.0, 1e-3), "lift": ("energy by removing overlap, part", 1.0, 1e-3),
    "drift": ("drift at rest [mm]", 1e3, 1e-8), "lost": ("error of a kept energy, part", 1.0, 1e-6),
    "work": ("work", 1.0, 1000.0),
}  # fmt: skip
# Scenes shown of a row, and failed checks and tests named.
SHOWN, NAMED = 5, 6


def changes(before, after):
    """[(factor, text)] of the figures of a scene that are worse in `after`, and of those that are better."""
    worse, better = [], []
    for key, (label, unit, least) in FIGURES.items():
        if key not in before or key not in after:
            continue
        a, b = before[key], after[key]
        text = f"{label} {unit * a:.3g} to {unit * b:.3g}"
        if b > TIMES * a and b - a > least:
            worse.append((b / max(a, least), text))
        if a > TIMES * b and a - b > least:
            better.append((a / max(b, least), text))
    if after.get("fault") and not before.get("fault"):
        worse.append((float("inf"), f"ends: {after['fault'][:60]}"))
    return worse, better


def findings(reference, row):
    """(worse, better): a text a scene, of its largest change, the largest first; failed lines of cases."""
    worse, better, failed = [], [], []
    for key, after in row["suite"].items():
        before, (kind, _, name) = reference["suite"].get(key, {}), key.partition(":")
        if kind == "scene":
            more, less = changes(before, after)
            worse += [(factor, f"`{name}` {text}") for factor, text in sorted(more)[-1:]]
            better += [(factor, f"`{name}` {text}") for factor, text in sorted(less)[-1:]]
        elif "fault" in after:
            failed.append(f"{name} ({after['fault'][:60]})")
        else:
            new = [line for line in after["failed"] if line not in before.get("failed", {})]
            more = f" and {len(new) - 1} more lines" if len(new) > 1 else ""
            failed += [f"{name}: {new[0].strip()} is {short(after['failed'][new[0]])}{more}"] if new else []
    order = [[text for _, text in sorted(group, key=lambda entry: -entry[0])] for group in (worse, better)]
    return (*order, failed)


def short(text):
    """A measured value, a number to four digits."""
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


def tests_of(names):
    """Tests by name, with how many of their parameters."""
    found = Counter(name.partition("[")[0] for name in names)
    return [f"`{name}`" + (f" ({count} times)" if count > 1 else "") for name, count in found.items()]


def cost(reference, row):
    """CPU and work of the scenes in which it acts, parts of those with it that go where it is off."""
    both = [(reference["suite"][key], after) for key, after in row["suite"].items()
            if key.startswith("scene:") and "work" in after and "work" in reference["suite"].get(key, {})]  # fmt: skip
    if not both:
        return "-"
    parts = []
    for key, label in (("cpu", "CPU"), ("work", "work")):
        on, off = (sum(entry[k][key] for entry in both) for k in (0, 1))
        if on > 0.0:
            parts.append(f"{100.0 * (on - off) / on:+.0f} % {label}")
    return ", ".join(parts)


def _few(texts, most):
    return "; ".join(texts[:most]) + (f"; and {len(texts) - most} more" if len(texts) > most else "")


def cells(name, store):
    """The cells of a mechanism's row."""
    entry = MECHANISMS[name]
    if name not in store or "quiet_steps" not in store:
        return name, entry.what, "not measured yet", "", "", ""
    # With all on there is the shortcut, and the reference is what is without it.
    reference, row = reference_of(name, store), store[name]
    if name == REFERENCE:
        reference = store.get("all", {"suite": {}})
        row = {"suite": {key: found for key, found in row["suite"].items() if key in reference["suite"]},
               "tests": row.get("tests", [])}  # fmt: skip
    worse, better, failed = findings(reference, row)
    tests = row.get("tests")
    said = [_few(worse, SHOWN) or "no figure of the suite"]
    if better:
        said.append("better without it: " + _few(better, SHOWN - 2))
    named = "not run" if tests is None else _few(tests_of(tests), NAMED) or "none"
    checks = _few(failed, NAMED) or "none", f"tests: {named}"
    acted = sum(bool(found["events"].get(name)) for found in reference["suite"].values())
    place = f"{len(row['suite'])}" + (f" of {acted}" if acted > len(row["suite"]) else "")
    return name, entry.what, ". ".join(said), "; ".join(checks), cost(reference, row), place


HEAD = ("mechanism", "what it is for", "worse without it", "checks that fail then: validation; tests", "its cost",
        "looked at")  # fmt: skip
INTRODUCTION = """# Mechanisms

What may act in a step besides rows, sweeps and motion: `solver/mechanisms.py` has the table. `StepReport.events` counts
how often each acted, parts and attempts that were taken back included. `simulate` sums it over a run, as `events` of
its `--json`, too; Blender's report lists it with a body.

`make ablate` runs a suite (`tools/ablation_suite.py`) without one after the other, with the developers' switch
`STICTION_WITHOUT=name,name`, and writes this page. A row is compared with all on, in the scenes and validation cases in
which the mechanism acted, one that is newer than the others with what was measured beside it; the last column is how
many of these were run. A figure is worse where it is {times:g} times as large. Piles are chaotic: some figures change
either way. A failed check is a line of a validation case, or a test of the area, that holds with all on.

Its cost: the part of CPU time, and of work (contacts relaxed, and what searches count as), of these scenes that goes
where it is off; below zero, what it saves. CPU times are of the process, and were taken beside other programs{spent}.
"""


def reference_of(name, store):
    """What the row of a mechanism is compared with: what was measured beside it, or that of all."""
    return {"suite": store[name]["reference"]} if "reference" in store[name] else store[REFERENCE]


def noticed(name, store):
    """Whether anything is worse without a mechanism."""
    worse, _, failed = findings(reference_of(name, store), store[name])
    return bool(worse or failed or store[name].get("tests"))


def page(store):
    """The text of docs/mechanisms.md; store: see ablate.py."""
    rows = [cells(name, store) for name in MECHANISMS]
    known = [name for name in MECHANISMS if name in store and name != REFERENCE and REFERENCE in store]
    silent = [name for name in known if store[name]["suite"] and "tests" in store[name] and not noticed(name, store)]
    unseen = [name for name in known if not store[name]["suite"]]
    load = [row["load"] for row in store.values() if "load" in row]
    spent = f" (mean load {sum(load) / len(load):.1f})" if load else ""
    lines = [
        INTRODUCTION.format(times=TIMES, spent=spent),
        "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD),
        *("| " + " | ".join(str(cell).replace("|", "/") for cell in row) + " |" for row in rows), "",
    ]  # fmt: skip
    if silent:
        names = ", ".join(silent)
        lines += [f"Noticed by nothing in what was looked at and in the tests named for them: {names}.", ""]
    if unseen:
        lines += [f"Acted nowhere in the suite: {', '.join(unseen)}.", ""]
    lines += ["What one event is:", "", *(f"- {name} ({entry.kind}): {entry.counted}, `solver/{entry.where}`"
              for name, entry in MECHANISMS.items()), ""]  # fmt: skip
    return "\n".join(lines)
