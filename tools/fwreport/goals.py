# SPDX-License-Identifier: MIT
"""The figures that furwock sets out to reach, each evaluated from the results."""

from . import aims, compare, crowdaims, paper, stats
from .compare import FAIR, OURS, PTHREAD
from .outcome import (  # noqa: F401  (is_wide: for those who show goals)
    MISSED, OPEN, REACHED, UNKNOWN, Goal, at_least, at_most, goals_of, interval, is_wide, worst)

UNCONTENDED_MOST = 0.55         # of pthread_mutex
CELL_LEAST = 0.95               # of the best blocking rival
GRID_SHARE, GRID_FLOOR = 0.9, 0.85
PTHREAD_LEAST = 1.15            # geometric mean of the paper's grid
WAIT_MOST = 2.0                 # longest wait, of the fair lock's
WAIT_TASKS_PER_CPU = 4
CONTENDED = 0.999               # share of lock calls that found the lock taken: always a waiter
NEVER_LEAST = 0.999             # there, share of releases after which a fair lock went elsewhere


def uncontended(results):
    name, want = "uncontended lock + unlock", f"at most {UNCONTENDED_MOST} of {PTHREAD}"
    table = results.uncontended
    below = table and table.ratio(OURS, PTHREAD)
    if not below:
        return [Goal(name, want, UNKNOWN, "no uncontended result")]
    goals = [Goal(name, want, at_most(below, UNCONTENDED_MOST), interval(below))]
    other = table.ratio(OURS, table.BASELINE)
    if other:
        goals.append(Goal(name, "below inline compare-exchange + exchange", at_most(other, 1.0),
                          f"{interval(other)} of it"))
    return goals


def _short_line(v):
    return f"{compare.describe(v.spot)}: {interval(v.to_rival)} of {v.rival}"


def _below(all_vs, bound):
    low = [v for v in all_vs if v.to_rival and v.to_rival.value < bound]
    return sorted(low, key=lambda v: v.to_rival.value)


def paper_versus(results):
    """The cells that the paper has, too: what goals and headline call its grid."""
    return [v for v in compare.long_enough(compare.all_versus(results, "tables"))
            if paper.covers(v.spot)]


def today_versus(results):
    return compare.long_enough(compare.all_versus(results, "grid"))


def paper_grid(results):
    all_vs = paper_versus(results)
    evaluated = [v for v in all_vs if v.to_rival]
    name = "paper's grid, each cell"
    want = f"at least {CELL_LEAST} of the best blocking rival"
    if not evaluated:
        goals = [Goal(name, want, UNKNOWN, "no cells with a blocking rival")]
    else:
        low = _below(evaluated, CELL_LEAST)
        goals = [Goal(name, want, worst([at_least(v.to_rival, CELL_LEAST) for v in evaluated]),
                      f"{len(evaluated) - len(low)} of {len(evaluated)} cells",
                      map(_short_line, low))]
    middle = stats.geometric([v.to_pthread for v in all_vs])
    name, want = "paper's grid, geometric mean", f"at least {PTHREAD_LEAST} of {PTHREAD}"
    if middle is None:
        return goals + [Goal(name, want, UNKNOWN, f"no cells with {PTHREAD}")]
    return goals + [Goal(name, want, at_least(middle, PTHREAD_LEAST), interval(middle))]


def _enough(states):
    """Whether as many cells have reached the bound as should, whatever the open ones come to."""
    if states.count(REACHED) >= GRID_SHARE * len(states):
        return REACHED
    return MISSED if states.count(MISSED) > (1 - GRID_SHARE) * len(states) else OPEN


def today_grid(results):
    evaluated = [v for v in today_versus(results) if v.to_rival]
    want = (f"{GRID_SHARE:.0%} of the cells at least {CELL_LEAST} of the best blocking rival, "
            f"none under {GRID_FLOOR}")
    if not evaluated:
        return [Goal("today's grid", want, UNKNOWN, "no cells with a blocking rival")]
    low = _below(evaluated, CELL_LEAST)
    share = 1 - len(low) / len(evaluated)
    floor = worst([at_least(v.to_rival, GRID_FLOOR) for v in evaluated])
    state = worst([floor, _enough([at_least(v.to_rival, CELL_LEAST) for v in evaluated])])
    got = f"{len(evaluated) - len(low)} of {len(evaluated)} cells ({share:.0%})"
    deep = sum(v.to_rival.value < GRID_FLOOR for v in evaluated)
    if deep:
        got += f", {deep} under {GRID_FLOOR}"
    return [Goal("today's grid", want, state, got, map(_short_line, low))]


def _threads(results):
    for experiment in ("tables", "grid", "single"):
        yield from results.spots(experiment, "threads")


def _no_more_than(results, metric, digits, slack=0.0):
    """Compares a metric of furwock with pthread's everywhere: (cells, state, lines of worse)."""
    count, states, worse = 0, [REACHED], []
    for spot in _threads(results):
        ours, theirs = results.cell(spot, OURS), results.cell(spot, PTHREAD)
        if ours is None or theirs is None or not ours.values(metric) or not theirs.values(metric):
            continue
        if ours.short or theirs.short:
            continue
        count += 1
        mine, yours = ours.mean(metric), theirs.mean(metric)
        gap = stats.difference(ours.by_round(metric), theirs.by_round(metric))
        states.append(at_most(gap, slack) if gap else OPEN)
        if mine > yours + slack:
            worse.append((mine / yours if yours else float("inf"), f"{compare.describe(spot)}: "
                          f"{mine:.{digits}f} against {yours:.{digits}f}"
                          f"{' (open)' if states[-1] == OPEN else ''}"))
    return count, worst(states), [line for _, line in sorted(worse, reverse=True)]


def spread_of_tasks(results):
    count, state, worse = _no_more_than(results, "coeff", 3)
    name = "coefficient of variation of the tasks"
    want = f"no more than {PTHREAD}'s in any cell"
    if not count:
        return [Goal(name, want, UNKNOWN, "no cells with both")]
    return [Goal(name, want, state, f"{count - len(worse)} of {count} cells", worse)]


def longest_wait(results):
    tasks = WAIT_TASKS_PER_CPU * results.cpus
    name = f"longest wait at {WAIT_TASKS_PER_CPU} tasks per CPU ({tasks} tasks)"
    want = f"at most {WAIT_MOST:g} times the fair lock's"
    count, states, short = 0, [REACHED], []
    for spot in _threads(results):
        ours, fair = results.cell(spot, OURS), results.cell(spot, FAIR)
        if spot.tasks != tasks or ours is None or fair is None or ours.short or fair.short:
            continue
        longer = stats.ratio(ours.by_round("wait_ns", "max"), fair.by_round("wait_ns", "max"))
        if longer is None:
            continue
        count += 1
        states.append(at_most(longer, WAIT_MOST))
        if longer.value > WAIT_MOST:
            short.append((longer.value, f"{compare.describe(spot)}: {interval(longer)} times"))
    if not count:
        return [Goal(name, want, UNKNOWN, f"no cell with {OURS} and {FAIR} at {tasks} tasks")]
    short = [line for _, line in sorted(short, reverse=True)]
    return [Goal(name, want, worst(states), f"{count - len(short)} of {count} cells", short)]


def fair_release(results):
    want = f"nobody reacquires past a waiter (never at least {NEVER_LEAST:.1%})"
    count, short, states = 0, [], []
    for spot in _threads(results):
        cell = results.cell(spot, FAIR)
        if cell is None or spot.tasks <= results.cpus or spot.locks > 1:
            continue
        never, contention = cell.mean("reacquire", "never"), cell.mean("contention")
        if never is None or contention is None or contention < CONTENDED:
            continue
        count += 1
        states.append(at_least(stats.mean(cell.values("reacquire", "never")), NEVER_LEAST))
        if never < NEVER_LEAST:
            short.append(f"{compare.describe(spot)}: never {never:.2%}")
    if not count:
        return [Goal("unlock_fair", want, UNKNOWN, f"no cell of {FAIR} that always had waiters")]
    return [Goal("unlock_fair", want, worst(states),
                 f"{count - len(short)} of {count} cells that always had waiters", short)]


def system_calls(results):
    # Half of the last digit shown: a cell with no system calls in the steady state still counts
    # the few of its start.
    count, state, worse = _no_more_than(results, "syscalls", 3, slack=0.0005)
    want = f"no more than {PTHREAD}'s in any cell"
    if not count:
        return [Goal("system calls per iteration", want, UNKNOWN, "not counted in these results")]
    return [Goal("system calls per iteration", want, state,
                 f"{count - len(worse)} of {count} cells", worse)]


def idle_cost(_results):
    return [Goal("CPU used while blocked", "none", UNKNOWN,
                 "shown by the contract tests, not by a benchmark: contract.idle.furwock")]


MUTEX = (uncontended, paper_grid, today_grid, spread_of_tasks, longest_wait, fair_release,
         system_calls, idle_cost)
# In the order in which they are shown.
TABLES = (MUTEX, aims.SHARE, aims.WAKES, aims.LIFO, aims.MIX, aims.BETWEEN, crowdaims.ADAPTIVE,
          crowdaims.FUTEXLOCK, crowdaims.LOCKMIX, crowdaims.REAL_TIME)


def all_goals(results):
    """Every goal, in the order in which it is shown."""
    return [goal for table in TABLES for goal in goals_of(table, results)]
