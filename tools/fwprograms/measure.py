# SPDX-License-Identifier: MIT
"""The rounds.  In each, a program runs once with every library; the next begins with another."""

import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from . import Absent, Failure, Trouble
from .workdir import PLAIN, Workdir, Variant

MEMORY = pathlib.Path("/dev/shm")  # databases lie there, so that no disk is measured
ROOM_BYTES = 2 << 30
LIBRARIES = (("furwock", "libfurwock-pthread.so"), ("counting", "libfurwock-pthread-stat.so"))


def base_folder():
    try:
        return MEMORY if shutil.disk_usage(MEMORY).free > ROOM_BYTES else None
    except OSError:
        return None


@contextlib.contextmanager
def folder(base=None):
    """A folder that any user may enter, gone at the end."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="furwock-programs-", dir=base))
    try:
        made.chmod(0o755)
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def variants(directory, names, where):
    """The libraries to compare, copied to `where`, so that a build meanwhile changes nothing."""
    found = [PLAIN] if PLAIN.name in names else []
    for name, file in LIBRARIES:
        if name not in names:
            continue
        if not (directory / file).is_file():
            raise Trouble(f"{directory / file}: no such library; build it, or say --build DIR")
        library = where / file
        shutil.copy(directory / file, library)
        library.chmod(0o755)
        tried = subprocess.run(["/bin/true"], env={"LD_PRELOAD": str(library)}, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, check=False)
        if tried.returncode or tried.stdout:
            raise Trouble(f"{file} cannot be loaded: {tried.stdout.strip() or tried.returncode}")
        found.append(Variant(name, library, name == "counting"))
    return found


def new_cells(program, which):
    return {(variant.name, figure): {
        "program": program.name, "figure": figure, "locks": variant.name, "unit": what.unit,
        "more": what.more, "goal": what.goal, "runs": [], "failures": []}
        for variant in which for figure, what in program.figures.items()}


def measure(program, which, options, document, say):
    """Adds the cells of a program to the document.  False: something failed with a library."""
    try:
        program.look()
        with folder(base_folder()) as made:
            workdir = Workdir(made, options.reports, label=f"{program.name}-prepare",
                          slower=options.slower)
            try:
                program.prepare(workdir)
            finally:
                workdir.end()
            return rounds(program, which, options, document, say, workdir)
    except Absent as missing:
        document["skipped"].append({"program": program.name, "why": str(missing)})
    except Failure as failure:
        document["skipped"].append({"program": program.name,
                                    "why": f"cannot be prepared: {failure}"})
    return True


def rounds(program, which, options, document, say, workdir):
    cells, broken = new_cells(program, which), set()
    document["cells"] += cells.values()
    for number in range(1, min(options.rounds, program.rounds_most) + 1):
        for i in range(len(which)):
            variant = which[(i + number - 1) % len(which)]
            if variant.name in broken:
                continue
            say(f"{program.name}, round {number}: {variant.name}")
            here = workdir.turn(variant, f"{program.name}-{variant.name}-{number}")
            try:
                for figure, value in program.run(here).items():
                    cells[variant.name, figure]["runs"].append(
                        {"round": number, "value": value, "cpu": here.costs.get(figure)})
            except Failure as failure:
                here.end()
                broken.add(variant.name)
                for figure in program.figures:
                    cells[variant.name, figure]["failures"].append(
                        {"round": number, "what": str(failure)})
            finally:
                here.end()
    return broken <= {PLAIN.name}


def progress(quiet):
    def say(text):
        if not quiet:
            print(f"\r{time.strftime('%H:%M:%S')} {text}\033[K", end="", file=sys.stderr,
                  flush=True)
    return say
