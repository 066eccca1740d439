/* SPDX-License-Identifier: MIT */
#include "stripe.h"

#include "fork.h"
#include "sys/fork.h"

/* The table.  Zero pages until they are used. */
struct fw_stripe_ fw_stripes_[FW_STRIPES_];

/*
 * Here, so that a program that has the table has the handlers, from an archive too.  First of all:
 * prepare handlers run last registered first, and ours should run after all others.
 */
FW_CONSTRUCTOR static void begin(void)
{
    fw_fork_handlers_(fw_fork_prepare_, fw_fork_parent_,
                      fw_fork_child_); /* no memory: no handlers */
}
