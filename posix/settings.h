/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_SETTINGS_H
#define FW_PRELOAD_SETTINGS_H

#include <stdbool.h>

/*
 * What `furwock run` (or whoever sets LD_PRELOAD) tells the library, through the environment, read
 * once when the library is loaded:
 *
 *     FURWOCK_POLICY=greedy       the default: a released mutex goes to whoever is quickest
 *     FURWOCK_POLICY=fair         a released mutex goes to the longest waiter
 *     FURWOCK_POLICY=spin=US      spin for up to that many microseconds before sleeping, whether or
 *                                 not the owner runs (0: never spin); where nothing is said: 2, and
 *                                 only while the owner may be running
 *
 * Several are separated by commas.  What is not understood is named in one line on standard error,
 * and has no effect.
 */
struct fw_settings_ {
    bool fair;
};

extern struct fw_settings_ fw_settings_ __attribute__((visibility("hidden")));

/* Reads the text into *to (and sets the default wait policy); false: not understood. */
bool fw_settings_read_(const char *text, struct fw_settings_ *to);

#endif
