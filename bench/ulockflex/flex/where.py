# SPDX-License-Identifier: MIT
"""Where locks lie: regions of memory, as in the paper, by shmat or in mapped files."""

from front.cli import whole

from flex import Trouble

MEMORY = ("anonymous", "shmat", "file")  # as memory.c has them


def add_options(parser):
    parser.add_argument("--memory", choices=MEMORY,
                        help="where the locks lie (anonymous); the paper: shmat, mapped files")
    parser.add_argument("--regions", type=whole, metavar="N",
                        help="in N regions of memory, locks given to them round robin (1)")


def chosen(options, locks):
    """What a configuration says of it."""
    if (options.regions or 1) > locks:
        raise Trouble("--regions is more than --locks", 2)
    return {"memory": options.memory, "regions": options.regions}
