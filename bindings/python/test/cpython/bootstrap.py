# SPDX-License-Identifier: MIT
"""Makes the standard multiprocessing of this interpreter and of its children use furwock's classes.

Only for running CPython's own tests against furwock.multiprocessing: a .pth file of a throw-away
virtual environment imports this in every interpreter that is started, also in those that ignore
the environment.  multiprocessing is changed when it is first imported, and not before, as a test
wants to see it not yet imported.
"""
from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any, Callable, Dict, Optional, Sequence


def use_furwock(mp: ModuleType) -> None:
    """Puts furwock's contexts where multiprocessing finds its own."""
    import furwock.multiprocessing.context as ours
    from furwock.multiprocessing.synchronize import Condition

    standard = mp.context
    standard._concrete_contexts.clear()
    standard._concrete_contexts.update(ours._concrete_contexts)
    standard._default_context = ours._default_context
    for name in mp.__all__:
        setattr(mp, name, getattr(ours._default_context, name))
    Condition._sleeping_count = property(no_such_count)  # type: ignore[attr-defined]


def no_such_count(condition: Any) -> None:
    """For the tests, which compare the semaphores that the standard Condition is made of."""
    raise NotImplementedError("furwock's condition variables are not made of semaphores")


OURS = "furwock.multiprocessing.managers"


def use_manager(managers: ModuleType) -> None:
    """Standard pools and furwock's contexts do not go together, so managers need its pool."""
    if OURS not in sys.modules:  # or it is just being imported, and imports the standard one
        importlib.import_module(OURS)


def put_manager(ours: ModuleType) -> None:
    """Puts furwock's manager where the tests find it."""
    sys.modules["multiprocessing.managers"].SyncManager = (  # type: ignore[attr-defined]
        ours.SyncManager)


CHANGES: Dict[str, Callable[[ModuleType], None]] = {
    "multiprocessing": use_furwock, "multiprocessing.managers": use_manager, OURS: put_manager}


class Changed(importlib.abc.Loader):
    """Loads a module as always, and changes it then."""

    def __init__(self, name: str, loader: Any) -> None:
        self.name, self.loader = name, loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        CHANGES.pop(self.name)(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules that are changed, once."""

    looking = False

    def find_spec(self, fullname: str, path: Optional[Sequence[str]],
                  target: Optional[ModuleType] = None
                  ) -> Optional[importlib.machinery.ModuleSpec]:
        if fullname not in CHANGES or self.looking:
            return None
        self.looking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self.looking = False
        if spec is not None:
            spec.loader = Changed(fullname, spec.loader)
        return spec


sys.meta_path.insert(0, Finder())
