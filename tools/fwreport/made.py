# SPDX-License-Identifier: MIT
"""Of which sources the results are, whether those are today's, and how they were measured."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
MEASURED = ("include", "src", "posix", "atomic", "rt", "bpf", "measure", "bench")  # that is timed


def _git(*words):
    """Its exit status and output; None where there is no git, or no repository."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode == 128 else (done.returncode, done.stdout.strip())


def differs(commit):
    """In a few words, how the sources of that commit differ from those here; "": they do not."""
    if _git("rev-parse", "HEAD") is None:
        return ""                           # nobody can tell: these are no repository
    if _git("cat-file", "-e", f"{commit}^{{commit}}") is None:
        return "which is not in this repository"
    changed = _git("diff", "--name-only", commit, "--", *MEASURED)
    files = changed[1].splitlines() if changed else []
    if not files:
        return ""
    return f"from which {len(files)} file{'s' * (len(files) != 1)} of today's sources differ"


def of_others(made, where):
    """[line]: what a reader must know of the sources of results; `where`: [file of each]."""
    found = {}
    for one, file in zip(made, where):
        if not one.get("commit"):
            said = "of sources that it does not name"
        else:
            how = differs(one["commit"])
            dirty = "" if one.get("clean") else ", with changes that were not committed"
            said = f"of commit {one['commit']}{dirty}" + (f", {how}" if how else "")
            if not how and not dirty:
                continue
        found.setdefault(said, []).append(file)
    return [f"{', '.join(files)}: {said}" for said, files in found.items()]


def facts(made):
    """{what: value} of all results together, for people."""
    found = {}
    for one in made:
        for name, value in (("commit", one.get("commit")), ("governor", one.get("governor")),
                            ("SMT", {True: "on", False: "off"}.get(one.get("smt"))),
                            ("load before", one.get("load"))):
            if value is not None:
                found.setdefault(name, []).append(value)
        for rival, version in (one.get("versions") or {}).items():
            found.setdefault(rival, []).append(version)
    loads = found.pop("load before", [])
    shown = {name: ", ".join(dict.fromkeys(map(str, values))) for name, values in found.items()}
    if loads:
        least, most = min(loads), max(loads)
        shown["load before"] = f"{least:g}" if least == most else f"{least:g} to {most:g}"
    return shown
