# SPDX-License-Identifier: MIT
"""What is going to be run, and the line that shows, on a terminal, what is going on."""

import shutil
import sys
import time

from flex import plan as planning

REDRAW_SECONDS = 0.1


def clock_text(seconds):
    """3725 -> "1:02:05"; 65 -> "1:05"."""
    seconds = max(0, round(seconds))
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def describe(plan):
    settings = plan.settings
    lines = [f"{'configuration':44} locks"]
    lines += [f"{config.experiment + ' ' + str(config):44} {' '.join(locks)}"
              for config, locks in plan.groups]
    cells = plan.cells()
    longest = max(settings.length(config.tasks) for config, _ in plan.groups)
    length = f"{settings.seconds:g} s"
    if longest > settings.seconds:
        length += f" (up to {longest:g} s where there are many tasks)"
    least, most = planning.estimate(plan), planning.estimate(plan, settings.max_rounds)
    runs = sum(len(locks) * settings.least_rounds(config.tasks) for config, locks in plan.groups)
    lines.append(f"{cells} cells; {settings.rounds} to {settings.max_rounds} runs of "
                 f"{length} each, {runs} to "
                 f"{cells * settings.max_rounds} in all; beside them, once: "
                 f"{', '.join(settings.probes) or 'nothing'}")
    lines.append(f"expected time: {clock_text(least)} to {clock_text(most)}")
    return "\n".join(lines)


class Progress:
    def __init__(self, plan, quiet=False, deadline=None, out=sys.stderr):
        self.plan = plan
        self.out = out
        self.quiet = quiet
        self.live = not quiet and out.isatty()
        self.deadline = deadline
        self.begun = time.monotonic()
        self.drawn = 0.0
        self.width = 0
        self.number = 0
        self.expected = planning.estimate(plan)

    def round(self, number, groups):
        self.number = number
        if number > self.plan.settings.rounds:  # more rounds than promised: what is left changes
            cells = sum(planning.group_seconds(c, locks, self.plan.settings, 1)
                        for c, locks in groups)
            self.expected = time.monotonic() - self.begun + cells
        if not self.quiet and not self.live:
            cells = sum(len(locks) for _, locks in groups)
            self.say(f"round {number}: {cells} runs")

    def running(self, config, lock, probe):
        now = time.monotonic()
        if not self.live or now - self.drawn < REDRAW_SECONDS:
            return
        self.drawn = now
        spent = now - self.begun
        end = self.expected
        if self.deadline is not None:
            end = min(end, self.deadline - self.begun)
        done = min(99, int(100 * spent / end)) if end > 0 else 0
        what = f"{lock} ({probe})" if probe else lock
        self.draw(f"{done:3}%  {clock_text(end - spent)} left  round {self.number}  "
                  f"{config.experiment} {config}  {what}")

    def draw(self, text):
        width = shutil.get_terminal_size().columns - 1
        text = text[:width]
        self.out.write("\r" + text + " " * (self.width - len(text)))
        self.out.flush()
        self.width = len(text)

    def clear(self):
        if self.live and self.width:
            self.out.write("\r" + " " * self.width + "\r")
            self.out.flush()
            self.width = 0

    def say(self, text):
        self.clear()
        self.out.write(f"ulockflex: {text}\n")
        self.out.flush()

    def failed(self, config, lock, what):
        self.say(f"{lock} in {config}: {what}")
