/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ASSIST_NAMESPACE_H
#define FW_TEST_ASSIST_NAMESPACE_H

#include "sys/running_page.h"

/*
 * A /run of the test's own, in which the real assist is started and stopped: the machine's may run
 * beside it, and tests beside one another.
 */

/* Skips the test if this is not root, or cannot have a mount namespace. */
void namespace_enter(void);

/* The page's pin, opened; negative: see errno. */
int namespace_open_page(void);

/* The whole page, as any reader maps it, until it is unmapped; NULL: see errno. */
const struct fw_assist_page *namespace_map_page(void);

#endif
