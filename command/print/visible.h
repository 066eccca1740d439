/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_PRINT_VISIBLE_H
#define FW_COMMAND_PRINT_VISIBLE_H

/*
 * Names of files and objects are whatever bytes somebody has written, and that may be somebody
 * else than who looks at them.  Here they become UTF-8 that no terminal obeys and that JSON can
 * have: a '?' for each control character (U+0000..U+001F, U+007F..U+009F), and for each byte that
 * belongs to no character.  The text does not get longer.  Returns it.
 */
char *visible(char *text);

#endif
