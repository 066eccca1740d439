# SPDX-License-Identifier: MIT
"""What a fault is, and what a family of sources."""
from typing import NamedTuple

from edits import Edit


class Fault:
    """A fault in one file: edits of the statements that the tags mark, F:NAME if none is said."""

    def __init__(self, name: str, about: str, program: str, file: str, *edits: Edit) -> None:
        self.name, self.about, self.program, self.file = name, about, program, file
        self.edits = edits


class Rule(NamedTuple):
    """A fault in the rules of the model: one of enum fault_rule."""

    name: str
    about: str
    program: str
    rule: str


class Family(NamedTuple):
    """A lock: its sources (the first gets the table of functions), and the headers they share."""

    name: str  # as in NAME_calls, NAME_shipped and FAMILY_NAME
    sources: list[str]  # below its directory
    headers: list[str]  # from the root
    inline: dict[str, list[str]]  # by source: functions of a header that it makes linkable
    faults: list[Fault]
    directory: str = "src"

    @property
    def product(self) -> str:
        """The list of its functions is in programs/PRODUCT_calls.h."""
        if self.name in ("atomic", "ipc_atomic", "ipc_await", "release"):
            return self.name
        product = self.name.split("_")[0]
        names = {"ipc": "ipc", "posix": "posix", "rt": "rt", "scx": "rt", "kmod": "kmod"}
        return names.get(product, "thread")

    def paths(self) -> list[str]:
        """Its sources, from the root."""
        return [f"{self.directory}/{source}" for source in self.sources]

    def files(self) -> list[str]:
        """Its headers and sources, from the root."""
        return self.headers + self.paths()
