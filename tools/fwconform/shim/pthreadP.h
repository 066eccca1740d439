/* SPDX-License-Identifier: MIT */
#ifndef FW_CONFORM_PTHREADP_H
#define FW_CONFORM_PTHREADP_H

/* Tests include it out of habit. */
#include <pthread.h>

#endif
