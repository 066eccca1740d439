# SPDX-License-Identifier: MIT
"""Locks whose waiters poll or sleep, as the owner runs or not: more tasks than CPUs, sections
that are not too short, with the assist off and on."""

from flex import stats
from flex.plan import REFERENCE, Config, Plan, with_reference
from flex.show import JUDGED, MARKS, duration, matrix, number, rate_text, ratio_text

PLAN = "adaptive"
OURS, BASE = "furwock", "pthread"
FIXED = "furwock-spin7"         # polls for a time that is always the same
LOCKS = (OURS, FIXED, "furwock-block")
WITHOUT = (*LOCKS, BASE, "pthread-adaptive")    # of both states, what is measured in each
TASKS_PER_CPU = (2, 3, 4)

# (nlht, lht) in microseconds, those first that show most.  The paper's four, with sections of 1 to
# 10 us, are among them; the others are shorter loops, where waking costs most, and longer ones, up
# to sections that no fixed time of polling spans.
TIMES = ((5.0, 5.0), (1.0, 1.0), (0.0, 10.0), (10.0, 10.0), (9.0, 1.0), (7.0, 3.0), (1.0, 5.0),
         (5.0, 1.0), (20.0, 20.0), (50.0, 50.0), (100.0, 100.0))

PTHREAD_LEAST = 1.3             # of pthread's throughput, geometric mean
EQUAL = 0.98                    # throughput counts as equal from this part on
CPU_MOST = 1.02                 # then, of the fixed time's CPU time for an acquisition


def plan(locks, names, kind, settings, cpus):
    chosen = list(names) or (locks.among(LOCKS, kind) + locks.blocking(kind, ("rival",)))
    made = Plan(PLAN, settings, [(Config(PLAN, kind, cpus * per_cpu, 1, lht, nlht), chosen)
                                 for nlht, lht in TIMES for per_cpu in TASKS_PER_CPU])
    gone = [n for n in LOCKS if not names and n not in chosen]
    if gone:
        made.left_out.append("not here: " + ", ".join(gone))
    return with_reference(made, locks, kind, cpus)


# --- What is shown -----------------------------------------------------------------------------

def burnt_text(store, config, _locks, lock):
    cell = store.find(config, lock)
    burnt = stats.median_of(cell, "burnt_ns") if cell else None
    return duration(None if burnt is None else max(0.0, burnt))


class Show:
    def __init__(self, store, groups):
        self.store = store
        self.groups = sorted((g for g in groups if self.has_runs(*g)),
                             key=lambda g: (g[0].lht_us + g[0].nlht_us, g[0].lht_us, g[0].tasks,
                                            g[0].assist or ""))

    def has_runs(self, config, locks):
        cells = [self.store.find(config, lock) for lock in locks]
        return config.experiment != REFERENCE and any(cell and cell["runs"] for cell in cells)

    def text(self):
        if not self.groups:
            return "nothing was measured"
        parts = [matrix(self.store, self.groups, rate_text, "Throughput, iterations per second"),
                 matrix(self.store, self.groups, ratio_text, f"Throughput over that of {BASE}",
                        ("geometric mean", self.mean)),
                 matrix(self.store, self.groups, burnt_text,
                        "CPU time burnt for each acquisition: all but the work between them")]
        for state in dict.fromkeys(config.assist for config, _ in self.groups):
            parts.append("\n".join([*self.goals(state), JUDGED]))
        parts.append("The share of the throughput of an ideal lock is computed by tools/report "
                     "from the result file.\n" + MARKS)
        return "\n\n".join(parts)

    def mean(self, lock):
        return number(stats.geometric_mean(self.ratios(lock, BASE)), ".2f")

    def ratios(self, lock, base, state=...):
        found = [stats.ratio(self.store.find(config, lock), self.store.find(config, base))
                 for config, _ in self.groups if state in (..., config.assist)]
        return [r for r in found if r is not None]

    def goals(self, state):
        said = f"With the assist {state}: " if state else ""
        mean = stats.geometric_mean(self.ratios(OURS, BASE, state))
        if mean is not None:
            yield (f"{said}{OURS} has {mean:.2f} of the throughput of {BASE}, geometric mean; "
                   f"wanted {PTHREAD_LEAST:g}")
        costs = self.costs(state)
        if costs:
            good = sum(cost <= CPU_MOST for cost in costs)
            yield (f"{said}it takes at most {CPU_MOST:g} of the CPU time of {FIXED} for an "
                   f"acquisition in {good} of {len(costs)} configurations with at least "
                   f"{EQUAL:.0%} of its throughput")

    def costs(self, state):
        """CPU time over the fixed time's, where the throughput is no less."""
        found = []
        for config, _ in self.groups:
            ours, fixed = (self.store.find(config, lock) for lock in (OURS, FIXED))
            times = [stats.median_of(cell, "cpu_ns") if cell else None for cell in (ours, fixed)]
            if config.assist == state and all(times) and stats.ratio(ours, fixed) >= EQUAL:
                found.append(times[0] / times[1])
        return found
