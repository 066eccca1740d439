/* SPDX-License-Identifier: MIT */
#ifndef FW_CONFORM_CONFIG_H
#define FW_CONFORM_CONFIG_H

/* The build's choices: none. */

#endif
