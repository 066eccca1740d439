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


def half(ratio, digits=0):
    """Half the interval of a ratio in per cent, as " ±3"; "" where there is none."""
    if ratio.low is None:
        return ""
    if outcome.is_wide(ratio):
        return " (very wide)"
    return f" ±{(ratio.high - ratio.low) / 2 * 100:.{digits}f}"


def percent_above(ratio, digits=0):
    """"+33 ±4": as per cent above 1."""
    return (NONE if ratio is None
            else f"{(ratio.value - 1) * 100:+.{digits}f}{half(ratio, digits)}")


def percent_of(ratio):
    """"84.6 ±0.3": as per cent."""
    return NONE if ratio is None else f"{ratio.value * 100:.1f}{half(ratio, 1)}"


def first(lines, most):
    """The first of them, and how many more there are."""
    return lines[:most] + [f"and {len(lines) - most} more"] * (len(lines) > most)


def span(low_high):
    """"84.6 to 87.9", or one figure where both are the same."""
    if low_high is None:
        return NONE
    low, high = low_high
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def thousands(value):
    return NONE if value is None else f"{value / 1000:.4g}"
