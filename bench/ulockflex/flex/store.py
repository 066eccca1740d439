# SPDX-License-Identifier: MIT
"""The result file: a JSON object, written whole after every round, so that what was measured is
kept whatever happens, and so that a later call can go on with it."""

import dataclasses
import json
import os
import stat
import tempfile

from front import assist, machine, made, signals

from flex import Trouble, stats, turns
from flex.plan import Config, Settings

FORMAT = "furwock-bench-1"
BENCHMARK = "ulockflex"
TRAITS = ("family", "blocks", "spins", "fair", "shared")


class Store:
    def __init__(self, path, plan, locks, about):
        self.path = os.path.realpath(path) if path else None
        self.plan = plan
        self.locks = locks
        self.cells = {}
        self.document = {"format": FORMAT, "benchmark": BENCHMARK, "plan": plan.name,
                         "machine": about, "made": made.describe(),
                         "settings": dataclasses.asdict(plan.settings),
                         "missing": self.absent(), "notes": [], "complete": False}

    def absent(self):
        """The locks that could be here and are not, of the kind that the plan measures."""
        sharing = any(config.share is not None for config, _ in self.plan.groups)
        return self.locks.absent(sharing)

    # --- Cells ---

    def cell(self, config, lock):
        """The cell, made where it is new."""
        key = (config, lock)
        if key not in self.cells:
            known = self.locks.known(lock, config.share is not None) or {}
            cell = {"lock": lock, **{k: known.get(k) for k in TRAITS}, **config.point(),
                    "runs": [], "failures": []}
            if config.share is not None:
                cell["preference"] = known.get("preference")  # None: a mutex
            self.cells[key] = cell
            self._renew(cell)
        return self.cells[key]

    def find(self, config, lock):
        return self.cells.get((config, lock))

    def has_run(self, config, lock, round_number):
        cell = self.find(config, lock)
        return cell is not None and any(r["round"] == round_number
                                        for r in cell["runs"] + cell["failures"])

    def add_run(self, config, lock, round_number, run):
        cell = self.cell(config, lock)
        run = {k: v for k, v in run.items() if k != "lock"}
        cell["runs"].append({"round": round_number, **run})
        self._renew(cell)

    def add_probe(self, config, lock, round_number, found):
        """What a run beside the measured one has found out goes into the measured run's entry."""
        for run in self.cell(config, lock)["runs"]:
            if run["round"] == round_number:
                run.update(found)

    def add_failure(self, config, lock, round_number, what, run=None):
        entry = {"round": round_number, "what": what}
        if run is not None:
            entry |= {k: run[k] for k in ("integrity", "late")}
        self.cell(config, lock)["failures"].append(entry)

    def has_failed(self, config, lock):
        cell = self.find(config, lock)
        return cell is not None and bool(cell["failures"])

    def failures(self):
        """(config, lock, what) of each failed cell."""
        return [(config, lock, cell["failures"][0]["what"])
                for (config, lock), cell in self.cells.items() if cell["failures"]]

    def _renew(self, cell):
        settings = self.plan.settings
        cell["throughput"] = stats.summarize([r["throughput"] for r in cell["runs"]])
        cell["short"] = any(r["seconds"] < turns.least_seconds(cell["tasks"])
                            for r in cell["runs"])
        cell["narrow"] = stats.is_narrow(cell["throughput"], settings.ci, settings.rounds)

    def note(self, text):
        if text not in self.document["notes"]:
            self.document["notes"].append(text)

    # --- Files ---

    def check_writable(self):
        """Trouble now rather than when the measuring is done."""
        if self.path is None:
            return
        try:
            if os.path.exists(self.path) and not stat.S_ISREG(os.stat(self.path).st_mode):
                raise Trouble(f"cannot write {self.path}: not a regular file", 2)
            descriptor, name = self._temporary()
            os.close(descriptor)
            os.unlink(name)
        except OSError as e:
            raise Trouble(f"cannot write {self.path}: {e.strerror}", 2) from e

    def _temporary(self):
        directory, name = os.path.split(self.path)
        return tempfile.mkstemp(prefix=f".{name}.", dir=directory)

    def as_json(self):
        return json.dumps({**self.document, "cells": list(self.cells.values())}, indent=1) + "\n"

    def write(self):
        """The old file stays whole until the new one is."""
        if self.path is None:
            return
        name = None
        try:
            with signals.held():
                descriptor, name = self._temporary()
            with os.fdopen(descriptor, "w", encoding="utf-8") as f:
                f.write(self.as_json())
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(f.fileno(), 0o666 & ~mask)
            os.replace(name, self.path)
        except OSError as e:
            if name is not None and os.path.exists(name):
                os.unlink(name)
            raise Trouble(f"cannot write {self.path}: {e.strerror}") from e
        except BaseException:
            if name is not None and os.path.exists(name):
                os.unlink(name)
            raise

    def resume(self, old):
        """Takes over what an earlier call has measured."""
        self.document.update({k: old[k] for k in ("machine", "notes")})
        command = self.document["made"]["command"]
        self.document["made"] = {**old.get("made", {}), "command": command}
        for entry in old["cells"]:
            config = Config.of(entry)
            self.cells[(config, entry["lock"])] = entry
            self._renew(entry)


def read(path):
    """A result file, checked; Trouble where it is none."""
    try:
        with open(path, encoding="utf-8") as f:
            found = json.load(f)
    except OSError as e:
        raise Trouble(f"cannot read {path}: {e.strerror}", 2) from e
    except ValueError as e:
        raise Trouble(f"{path} is not a result file: {e}", 2) from e
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        said = found.get("format") if isinstance(found, dict) else None
        raise Trouble(f"{path} is not a result file of format {FORMAT}"
                      + (f" but of {said}" if said else ""), 2)
    if found.get("benchmark") != BENCHMARK:
        raise Trouble(f"{path} holds results of {found.get('benchmark')}, not of {BENCHMARK}", 2)
    return found


def check_assist(old, path, state):
    """Trouble where results with the assist and without would be mixed."""
    before = old.get("machine", {}).get("assist", assist.OFF)
    if before != state:
        raise Trouble(f"{path} was measured with the assist {before}, and now it is {state}", 2)


def check_resumable(old, path, plan_name, about):
    """Trouble where the file cannot be gone on with."""
    if old.get("plan") != plan_name:
        raise Trouble(f"{path} holds the plan {old.get('plan')}, not {plan_name}", 2)
    if not machine.same(old.get("machine", {}), about):
        raise Trouble(f"{path} was measured on another machine, kernel or C library", 2)
    before, now = (made.of(one) for one in (old.get("made", {}), made.describe()))
    if before != now:
        raise Trouble(f"{path} was measured with other sources ({before}), and these are {now}", 2)
    try:
        Settings(**old["settings"])
        for cell in old["cells"]:
            Config.of(cell)
            if not {"lock", "runs", "failures"} <= cell.keys():
                raise KeyError
    except (KeyError, TypeError):
        raise Trouble(f"{path} is damaged, or was written by another version", 2) from None
