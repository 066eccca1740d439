# SPDX-License-Identifier: MIT
"""Tables in Markdown, and how the documents write figures."""

from . import outcome

NONE = "-"


def table(heads, rows, texts=(0,)):
    """Lines of a table; `texts` are the columns that are words, not figures.  [] without rows."""
    if not rows:
        return []
    marks = ["---" if at in texts else "--:" for at in range(len(heads))]
    return ["| " + " | ".join(str(word).replace("|", "\\|") for word in row) + " |"
            for row in (heads, marks, *rows)]


def titled(tables, texts=(0,)):
    """Lines of [(title, heads, rows)], each below its title."""
    lines = []
    for title, heads, rows in tables:
        lines += ([""] if lines else []) + [title[0].upper() + title[1:] + ":", ""]
        lines += table(heads, rows, texts)
    return lines


def ratio(estimate, digits=2):
    return NONE if estimate is None else outcome.interval(estimate, digits)


def plain(value, digits=2):
    return NONE if value is None else f"{value:.{digits}f}"


def half(estimate, unit=100, digits=0):
    """Half the interval, as " ±3"; "" where there is none."""
    if estimate.low is None:
        return ""
    if outcome.is_wide(estimate):
        return " (very wide)"
    return f" ±{(estimate.high - estimate.low) / 2 * unit:.{digits}f}"


def percent_above(estimate):
    """"+33 ±4": a ratio, as per cent above 1."""
    return NONE if estimate is None else f"{(estimate.value - 1) * 100:+.0f}{half(estimate)}"


def percent_of(estimate):
    """"84.6 ±0.3": a ratio, as per cent."""
    return (NONE if estimate is None
            else f"{estimate.value * 100:.1f}{half(estimate, digits=1)}")


def thousands(value):
    return NONE if value is None else f"{value / 1000:.4g}"
