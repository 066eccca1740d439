/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SAY_H
#define FW_SYS_SAY_H

/*
 * One line on standard error, "furwock: TEXT"; the program goes on.  Keeps errno, allocates
 * nothing.
 */
void fw_say_(const char *text);

#endif
