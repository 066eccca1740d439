/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_RUNNING_H
#define FW_SYS_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Who is on a CPU?  Asked by threads that spin for a lock, and answered from the page that the
 * assist keeps (running_page.h), where there is one, and otherwise from what is known without it
 * (last_cpu.h).  All answers are guesses, and may be wrong in any way: a caller may let them decide
 * how it waits, never whether it may enter.
 */
enum fw_running_ {
    FW_RUNNING_UNKNOWN, /* no assist, or it does not know this thread */
    FW_RUNNING_YES,     /* on a CPU a moment ago */
    FW_RUNNING_NO       /* not on a CPU a moment ago */
};

/*
 * Begins to ask: finds the page if there is one now.  Looks for it once a second at most, so this
 * may be called at each wait.
 */
void fw_running_begin_(void);

/* Does the thread of this process that has this kernel id (gettid) run?  0: unknown. */
enum fw_running_ fw_running_(uint32_t tid);

/*
 * The same of a thread of any process, which has this id in its pid namespace (its inode number; 0:
 * the caller's).
 */
enum fw_running_ fw_running_in_(uint32_t tid, uint32_t pid_namespace);

/* Do others wait for the CPU that the caller is on?  False where that is not known. */
bool fw_cpu_is_wanted_(void);

/*
 * The caller has slept since its last fw_running_begin_.  A page that has not seen many of these is
 * dead, and left.
 */
void fw_running_slept_(void);

/*
 * For tests: reads the page in this file from now on (true), and closes it; or hides whatever page
 * there was (false): the file has none, or fd is negative.
 */
bool fw_running_use_(int fd);

/*
 * Joins: of a process that asks for it as the page says (registration: running_page.h) the page
 * tells what its threads do.  The call that is made for it fails, changes nothing, and is heard.
 */
void fw_running_ring_(uint32_t registration);

#endif
