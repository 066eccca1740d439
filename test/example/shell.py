# SPDX-License-Identifier: MIT
"""Shell sessions as documents show them: commands behind "$ ", and below each what it prints.

What is shown has to be what is printed, except that a line that is only a number may be another
number (it is a figure of one machine), and that `...` in a line stands for any text.
"""

import os
import re
import shlex
import subprocess

TIMEOUT_S = 600


def is_whole(command):
    """Does the shell want another line?"""
    heredoc = re.search(r"<< *'?(\w+)'?", command)
    if heredoc:
        return command.rstrip().endswith("\n" + heredoc.group(1))
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return False
    return not words or words[-1] != "|"


def commands_of(block):
    """Pairs of a command and the lines that it prints."""
    pairs, lines = [], block.splitlines()
    while lines:
        command = lines.pop(0)[2:]
        while not is_whole(command):
            command += "\n" + lines.pop(0)
        shown = []
        while lines and not lines[0].startswith("$ "):
            shown.append(lines.pop(0))
        pairs.append((command, shown))
    return pairs


def is_like(shown, printed):
    shown, printed = shown.strip(), printed.strip()
    if shown.isdigit() and printed.isdigit():
        return True
    return re.fullmatch(".*".join(map(re.escape, shown.split("..."))), printed) is not None


def agree(shown, printed):
    """Line by line; a line of its own `...` stands for any number of lines at the end."""
    if shown and shown[-1].strip() == "...":
        shown, printed = shown[:-1], printed[:len(shown) - 1]
    return len(shown) == len(printed) and all(map(is_like, shown, printed))


def run(command, timeout=TIMEOUT_S, **more):
    """The command of a session: its status and what it printed on both outputs."""
    env = {**os.environ, **more.pop("env", {}), "LC_ALL": "C"}
    done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, text=True, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                          check=False, **more)
    return done.returncode, done.stdout


def play(block, rewrite, back=str, **more):
    """Run one session, each command as rewrite(command) has it: the number of its faults.  What is
    printed is compared as back(output) has it."""
    for command, shown in commands_of(block):
        status, output = run(rewrite(command), **more)
        print(f"$ {command.splitlines()[0]}\n{output}", end="", flush=True)
        if "command not found" in output:
            print("skipped: the rest of this session")
            return 0
        if status != 0 or (shown and not agree(shown, back(output).splitlines())):
            print(f"exit status {status}; the document shows:\n" + "\n".join(shown))
            return 1
    return 0
