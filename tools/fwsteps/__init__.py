# SPDX-License-Identifier: MIT
"""Running long commands so that whoever waits knows how far they are."""

import queue
import re
import subprocess
import sys
import threading
import time

HEARTBEAT = 5       # seconds between two signs of life
PROGRESS = re.compile(r"^\[(\d+)/(\d+)\] ")  # ninja's


def duration(seconds):
    """'8 s', '3 min 20 s'."""
    seconds = round(seconds)
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60} s"


def lines_of(process, heartbeat):
    """What the process says, by lines; None after each heartbeat without any."""
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put("")

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=heartbeat)
        except queue.Empty:
            yield None
            continue
        if not line:
            return
        yield line


class Status:
    """A line that is written over on a terminal, and written anew elsewhere."""

    def __init__(self, stream=sys.stdout):
        self.stream = stream
        self.on_terminal = stream.isatty()
        self.last = time.monotonic()

    def due(self):
        return time.monotonic() - self.last >= (1 if self.on_terminal else HEARTBEAT)

    def show(self, text):
        self.last = time.monotonic()
        if self.on_terminal:
            self.stream.write("\r\x1b[K  " + text[:76])
        else:
            self.stream.write("  " + text + "\n")
        self.stream.flush()

    def clear(self):
        if self.on_terminal:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def start(command, stdin=subprocess.DEVNULL):
    """The command, with all that it says, as text, in one pipe."""
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace")


def run_to_file(command, path, show, wanted=re.compile("")):
    """Runs it with its output in a file; its exit status and how many seconds it took.

    show(line, seconds) is the text that says how far it is: by the last line that is wanted.
    """
    began, status, last = time.monotonic(), Status(), ""
    process = start(command)
    with open(path, "w", encoding="utf-8") as log:
        for line in lines_of(process, 1):
            if line is not None:
                log.write(line)
                log.flush()
                last = line if wanted.match(line) else last
            if status.due():
                status.show(show(last, time.monotonic() - began))
    status.clear()
    return process.wait(), time.monotonic() - began
