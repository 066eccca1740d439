/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_STAT_H
#define FW_PRELOAD_STAT_H

/*
 * What `furwock run --stat` wants to know: who waited for which object, for how long, where in the
 * program, and who held it.  Asked only where a thread is about to wait, never in a fast path,
 * except fw_stat_took_, one store, in the library that counts.
 *
 * The build picks: quiet/fw_stat.h counts nothing, and costs nothing; counting/fw_stat.h counts,
 * and makes libfurwock-pthread-stat.so.
 *
 *     bool fw_stat_counts_                                      a constant
 *     void fw_stat_took_(struct fw_posix_mutex_ *m, const void *site)
 *                                                               site: return address in the program
 *     void fw_stat_begin_(struct fw_stat_ *s, enum fw_stat_what_ what, const void *object,
 *                         const void *site)                     is about to wait
 *     void fw_stat_holder_(struct fw_stat_ *s, int thread, const void *site)
 *                                                               who is in the way, where known
 *     void fw_stat_end_(struct fw_stat_ *s, int result)         has waited; 0: got it
 *
 * A thread that is cancelled while it waits does not come to the end; its wait is not counted.
 */

/* The place in the program that called the public function in whose body this stands. */
#define FW_SITE_ __builtin_return_address(0)

#include "stat_what.h"

#include <fw_stat.h>

#endif
