/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ASSIST_FIXTURE_H
#define FW_TEST_ASSIST_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "namespace.h"

/*
 * Starts and stops of the real assist in a /run of the test's own: all are processes of their own.
 */

/* Goes there; skips the test if the assist is not built in, or that cannot be done here. */
void fixture_enter(void);

/* Who may read the page: root, and this group.  (gid_t)-1: root only. */
void fixture_readers(gid_t group);

/* Starts it; skips the test where that cannot be done here.  False: it runs already. */
bool fixture_start(void);

/* Stops it, whatever it finds, and fails if something is left behind. */
void fixture_stop(void);

/* Begins to start it, or to stop it, and kills that process after `us` microseconds. */
void fixture_kill_a_start(unsigned us);
void fixture_kill_a_stop(unsigned us);

/* Takes its file system away; or the page's pin, or all pins.  The page is not told. */
void fixture_unmount(void);
void fixture_unpin_page(void);
void fixture_unpin_all(void);

/* The page's pin goes by another name for `us` microseconds. */
void fixture_hide_page(unsigned us);

#endif
