/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_CEILING_H
#define FW_PRELOAD_CEILING_H

#include <pthread.h>

/* pthread_mutex_getprioceiling and _setprioceiling. */
int fw_posix_mutex_getprioceiling_(const pthread_mutex_t *m, int *ceiling);
int fw_posix_mutex_setprioceiling_(pthread_mutex_t *m, int ceiling, int *old);

#endif
