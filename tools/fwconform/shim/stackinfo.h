/* SPDX-License-Identifier: MIT */
#ifndef FW_CONFORM_STACKINFO_H
#define FW_CONFORM_STACKINFO_H

#include <elf.h>

#define _STACK_GROWS_DOWN 1
#define DEFAULT_STACK_PERMS (PF_R | PF_W)

#endif
