/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_C11_H
#define FW_PRELOAD_C11_H

#include <threads.h>
#include <time.h>

/* mtx_* and cnd_* of C11 under names of our own; contracts: the C library's manual. */
int fw_c11_mtx_init_(mtx_t *m, int type);
void fw_c11_mtx_destroy_(mtx_t *m);
int fw_c11_mtx_lock_(mtx_t *m);
int fw_c11_mtx_trylock_(mtx_t *m);
int fw_c11_mtx_timedlock_(mtx_t *m, const struct timespec *at);
int fw_c11_mtx_unlock_(mtx_t *m);

int fw_c11_cnd_init_(cnd_t *c);
void fw_c11_cnd_destroy_(cnd_t *c);
int fw_c11_cnd_wait_(cnd_t *c, mtx_t *m);
int fw_c11_cnd_timedwait_(cnd_t *c, mtx_t *m, const struct timespec *at);
int fw_c11_cnd_signal_(cnd_t *c);
int fw_c11_cnd_broadcast_(cnd_t *c);

/* The result of C11 for a POSIX error. */
int fw_c11_result_(int error);

#endif
