# SPDX-License-Identifier: MIT
"""The environment that puts libraries before the C library, for tests, tools and benchmarks.

By their names: LD_PRELOAD cannot have a path with a blank, and what it cannot have it ignores, with
a line on standard error.
"""

import os


def preloaded(*libraries):
    paths = [os.path.abspath(library) for library in libraries]
    return {"LD_LIBRARY_PATH": ":".join(dict.fromkeys(map(os.path.dirname, paths))),
            "LD_PRELOAD": ":".join(map(os.path.basename, paths))}
