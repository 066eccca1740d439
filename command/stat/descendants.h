/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_STAT_DESCENDANTS_H
#define FW_COMMAND_STAT_DESCENDANTS_H

#include <sys/types.h>

/* Children that a process had before it became the program that it is: not its own. */
enum { RUN_CHILDREN = 32 };

struct run_children {
    unsigned count;
    pid_t id[RUN_CHILDREN];
};

/*
 * From now on this process is the parent of all that its children leave behind (a child subreaper),
 * so that it learns of their ends.  Notes which children it has already.
 */
void run_adopt(struct run_children *before);

/* How many processes descend from this one, not by those children, and have not ended. */
unsigned run_descendants(const struct run_children *before);

#endif
