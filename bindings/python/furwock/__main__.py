# SPDX-License-Identifier: MIT
"""python -m furwock: the regions on this machine, their objects, holders and dead.

    python -m furwock [regions] [REGION...]   a line for each region
    python -m furwock show REGION...          objects and threads, too

The words are those of the command furwock of the C library. Nothing is changed. Exit status: 0; 1
if a region that was asked for cannot be read; 2 for a wrong command line; 3 with --check if a dead
thread or process holds something that nobody has taken over, or a lock was given up.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from typing import Any, Optional, Union

from ._furwock import _inspect

_SHARED_MEMORY = "/dev/shm"

# A larger file is not read: a region of that size would be a mistake of some other program.
_LARGEST = 1 << 30

_TROUBLE = {
    errno.EINPROGRESS: "half made: the process that creates it is still at it, or has died",
    errno.EPROTO: "a region of another format than this furwock has, or of another byte order",
    errno.ENOENT: "no region: zeroes",
}
_NO_REGION = "no region, or one that was overwritten or truncated"

_Region = dict[str, Any]


def _path_of(name: str) -> str:
    """"/name" or "name" is a shared-memory object, and what has another "/" a file."""
    if "/" in name.lstrip("/") or name.startswith("//"):
        return name
    return f"{_SHARED_MEMORY}/{name.lstrip('/')}"


def read_region(name: str) -> Union[_Region, str]:
    """What is in the region, or why it cannot be read."""
    try:
        fd = os.open(_path_of(name), os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
        with open(fd, "rb") as file:
            if os.fstat(fd).st_size > _LARGEST:
                return "larger than 1 GiB: not read"
            memory = file.read()
    except OSError as error:
        return error.strerror or str(error)
    found = _inspect(memory)
    if isinstance(found, int):
        return _TROUBLE.get(found, _NO_REGION)
    for entry in found["objects"]:
        entry["name"] = entry["name"].decode(errors="backslashreplace")
    return {"name": name, **found, **_counts(found)}


def _counts(found: _Region) -> _Region:
    alive = [member for member in found["members"] if member["liveness"] == "alive"]
    return {
        "threads": len(alive),
        "processes": len({member["process"] for member in alive}),
        "holders": sum(len(o["inside"]) for o in found["objects"]),
        "dead": sum(_is_dead(o) for o in found["objects"]),
    }


def _is_dead(found: _Region) -> bool:
    """Is it held by the dead, or was it given up?"""
    return (found["state"] == "abandoned"
            or any(thread["liveness"] != "alive" for thread in found["inside"]))


def _named(names: list[str]) -> tuple[list[_Region], int]:
    """Those that were asked for; the status."""
    regions, status = [], 0
    for name in names:
        region = read_region(name)
        if isinstance(region, str):
            print(f"furwock: {name}: {region}", file=sys.stderr)
            status = 1
        else:
            regions.append(region)
    return regions, status


def _around() -> list[_Region]:
    """Those in /dev/shm that can be read."""
    try:
        names = sorted(os.listdir(_SHARED_MEMORY))
    except OSError:
        return []
    all_of_them = (read_region(f"/{name}") for name in names)
    return [region for region in all_of_them if not isinstance(region, str)]


_HEAD = ("region", "bytes", "objects", "threads", "processes", "holders", "dead")
_FORMAT = "{:<28} {:>12} {:>8} {:>8} {:>10} {:>8} {:>6}"


def _print_regions(regions: list[_Region]) -> None:
    if not regions:
        print("no regions")
        return
    print(_FORMAT.format(*_HEAD))
    for region in regions:
        numbers = [region[key] for key in _HEAD[3:]]
        print(_FORMAT.format(region["name"], region["bytes"], len(region["objects"]), *numbers))


def _ids(thread: _Region) -> str:
    process, number = thread["process"], thread["thread"]
    who = "somebody"
    if process:
        who = str(process) if process == number else f"{process}/{number}"
    return who if thread["liveness"] == "alive" else f"{who} ({thread['liveness']})"


def _print_details(regions: list[_Region]) -> None:
    for region in regions:
        print(f"{region['name']}: {region['bytes']} bytes")
        for found in region["objects"]:
            name = found["name"] if found["name"].isprintable() else repr(found["name"])
            print(f"  {name:<20} {found['kind']:<8} {found['state']}".rstrip())
            for thread in found["inside"]:
                print(f"      {_ids(thread)} {thread['role']}")
        for thread in region["members"]:
            print(f"  slot {thread['slot']:<4} {_ids(thread)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m furwock", description="The regions on this machine: nothing is changed.",
        epilog="Exit status: 0; 1: a region that was asked for cannot be read; 2: wrong command "
               "line; 3: with --check, something is held by the dead, or was given up.")
    parser.add_argument("command", nargs="?", default="regions", choices=("regions", "show"),
                        help="regions: a line for each (the default); show: objects and threads")
    parser.add_argument("region", nargs="*", help="/name or a file; none: those in /dev/shm")
    parser.add_argument("--json", action="store_true", help="all that is known, as JSON")
    parser.add_argument("--check", action="store_true",
                        help="exit with 3 if something is held by the dead, or was given up")
    return parser


def main(arguments: Optional[list[str]] = None) -> int:
    """The command; its exit status."""
    options = _parser().parse_intermixed_args(arguments)
    regions, status = _named(options.region) if options.region else (_around(), 0)
    if options.json:
        print(json.dumps({"schema": "furwock-python-1", "regions": regions}, indent=2))
    elif options.command == "show":
        _print_details(regions)
    else:
        _print_regions(regions)
    if status == 0 and options.check and any(region["dead"] for region in regions):
        status = 3
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.stderr.close()  # the reader has seen enough
        sys.exit(1)
