# SPDX-License-Identifier: MIT
"""lockmix: locks under more threads than CPUs, beside programs that take CPUs away."""

from . import experiment, stats
from .compare import OURS, PTHREAD

NAME, TITLE = "lockmix", "more threads than CPUs"
SPIN = "furwock-spin7"          # polls for a fixed time, whoever holds the lock
MODES = {"one": "one lock", "hash": "hash table, a lock for each bucket",
         "many": "many locks, one or two for each operation"}
ON = "on"                       # the assist; anything else: it was off, or out of reach


def found(results):
    return results.experiments.get(NAME)


def groups(one):
    """{(mode, zipf, antagonists, duty, assist): points, threads ascending}."""
    sets = {}
    for point in sorted(one.points(), key=lambda point: (
            list(MODES).index(point.mode) if point.mode in MODES else len(MODES), point.zipf,
            point.antagonists, point.duty, point.assist, point.threads)):
        sets.setdefault(point[:-1], []).append(point)
    return sets


def title(group):
    mode, zipf, antagonists, duty, assist = group
    words = MODES.get(mode, mode)
    if zipf:
        words += f", Zipf {zipf:g}"
    words += f", {antagonists or 'no'} antagonist{'s' * (antagonists != 1)}"
    if antagonists and duty != 100:
        words += f" at {duty} %"
    return words + (", assist on" if assist == ON else "")


def describe(point):
    return (f"{point.mode}, {point.threads} thread{'s' * (point.threads != 1)}, "
            f"{point.antagonists} antagonist{'s' * (point.antagonists != 1)}"
            + (", assist on" if point.assist == ON else ""))


def nested(cell, *path):
    """The median of a figure of the runs, as nested(cell, "wait_ns", "p99")."""
    values = []
    for run in cell.runs if cell else []:
        for name in path:
            run = run.get(name) if isinstance(run, dict) else None
        if isinstance(run, (int, float)):
            values.append(run)
    return stats.median(values)


def rate(one, point, lock):
    """Operations per second."""
    return nested(one.cell(point, lock), "throughput")


def times(one, point, lock, base):
    """How many times the rate of `base`; None where one of the two was not measured."""
    return experiment.ratio(one.cell(point, base), one.cell(point, lock))


def peak(one, point, lock):
    """Where the lock was fastest, with as many antagonists."""
    rivals = [other for other in groups(one)[point[:-1]] if rate(one, other, lock)]
    return max(rivals, key=lambda other: rate(one, other, lock).value, default=None)


def of_peak(one, point, lock):
    """The rate over the lock's own best, within each repetition."""
    best = peak(one, point, lock)
    return best and experiment.ratio(one.cell(best, lock), one.cell(point, lock))


def of_best_rival(one, point, lock):
    """The rate over the best rival's, and who that is."""
    best = one.best_rival(point)
    return (times(one, point, lock, best.lock), best.lock) if best else (None, None)


def cpu(one, point, lock):
    """Nanoseconds of CPU time per acquisition, of all threads."""
    return nested(one.cell(point, lock), "cpu_ns")


def cpu_over(one, point, lock, base):
    return experiment.ratio(one.cell(point, lock), one.cell(point, base), "cpu_ns")


def waiting(one, point, lock):
    """Of that, what a thread alone does not need: polling, system calls, colder caches."""
    alone = next((other for other in one.points()
                  if other[:2] == point[:2] and other.assist == point.assist
                  and other.threads == 1 and not other.antagonists), None)
    both = cpu(one, point, lock), alone and cpu(one, alone, lock)
    return max(0.0, both[0].value - both[1].value) if all(both) else None


def is_crowded(point, cpus):
    """What the goals are about: four and sixteen threads for each CPU, and antagonists."""
    return point.threads in (4 * cpus, 16 * cpus) and point.antagonists >= cpus


def crowded(results):
    """Such points where furwock was measured."""
    one = found(results)
    return [point for points in groups(one).values() for point in points
            if is_crowded(point, results.cpus) and one.cell(point, OURS)] if one else []


# What FlexGuard's authors published: (what, over POSIX or as said, where).  As published, on their
# machines: 104 hardware threads (Intel, two Xeon 5320), 512 (AMD, EPYC 9754), Linux 6.9.
PUBLISHED = (
    ("not oversubscribed, applications", "1 to 6 times", "abstract"),
    ("oversubscribed, applications", "up to 5 times", "abstract"),
    ("PiBench, an index in memory", "4.2 (Intel), 3.4 (AMD)", "evaluation"),
    ("LevelDB readrandom", "1.67 (Intel), 1.25 (AMD)", "evaluation"),
    ("LevelDB fillrandom", "1.14 (Intel), 1.11 (AMD)", "evaluation"),
    ("PARSEC Dedup", "1.25 (Intel), 1.38 (AMD)", "evaluation"),
    ("index beside antagonists", "about 2.5 while there are CPUs", "artifact, Figure 3d"),
    ("Dedup, alone and beside antagonists", "1.2 to 1.5", "artifact, Figures 3e, 3f"),
    ("Raytrace beside antagonists", "about 1", "artifact, Figure 3h"),
    ("Streamcluster beside 80 antagonists", "down to 0.18", "evaluation"),
    ("with longer time slices for holders, antagonists, AMD", "up to 6", "evaluation"),
    ("one lock; 100 buckets", "drawn only; beside antagonists it joins a lock that always sleeps",
     "artifact, Figures 2, 3a, 3b"),
)
SOURCE = ("Laforet, Kashyap, Iorgulescu, Lawall, Lozi: FlexGuard: Fast Mutual Exclusion "
          "Independent of Subscription, SOSP 2025, doi:10.1145/3731569.3764852")


def above_pthread(one, point):
    return times(one, point, OURS, PTHREAD)
