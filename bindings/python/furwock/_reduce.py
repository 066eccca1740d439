# SPDX-License-Identifier: MIT
"""Pickling: as a part of spawning a child, or by name.

An object without a name is passed to children only, as multiprocessing's locks are. The region goes
along as a descriptor.
"""

from __future__ import annotations

import os
from multiprocessing import context, reduction
from typing import Any

from ._furwock import Region


def _need_spawning(obj: object) -> Any:
    popen = context.get_spawning_popen()
    if popen is None:
        raise RuntimeError(f"{type(obj).__name__} objects should only be shared between processes "
                           "through inheritance, or, if they and their region have names, by name")
    return popen


def _first(region: Region, popen: Any) -> Region:
    """The Region that stands for this region in the child's pickle.

    There may be several for one region, as its objects came here in different ways, but its
    descriptor is passed once.
    """
    regions = vars(popen).setdefault("_furwock_regions", {})
    first: Region = regions.setdefault(region.key, region)
    return first


def reduce_region(region: Region) -> tuple[Any, ...]:
    """The region by name, or by a descriptor for the child that is being spawned."""
    if region.name is not None:
        return _open_region, (region.name,)
    first = _first(region, _need_spawning(region))
    if first is not region:
        return _same_region, (first,)
    return _take_region, (reduction.DupFd(region.fileno()), region.is_default)


def _same_region(region: Region) -> Region:
    return region


def _open_region(name: str) -> Region:
    return Region(name, create=False)


def _take_region(duplicate: Any, is_default: bool) -> Region:
    fd = duplicate.detach()
    try:
        region = Region(fd=fd, create=False)
    finally:
        os.close(fd)
    if is_default:
        region._make_default()  # unless the child has made one already
    return region


def reduce_object(obj: Any) -> tuple[Any, ...]:
    """An object of a region, and what a derived class has added to it."""
    region = obj.region
    if obj.name is None or region.name is None:
        popen = _need_spawning(obj)
        if region.name is None:
            region = _first(region, popen)
        # The parent keeps it until the child, which may take its time, has its own reference.
        vars(popen).setdefault("_furwock_objects", []).append(obj)
    parts = (rebuild, (type(obj), region, obj.handle[1:]))
    attributes = getattr(obj, "__dict__", None)
    return (*parts, attributes) if attributes else parts


def rebuild(cls: Any, region: Region, handle: tuple[Any, ...]) -> Any:
    """The object in this process."""
    return cls._from_handle((region, *handle))
