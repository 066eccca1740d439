/* SPDX-License-Identifier: MIT */
#ifndef FW_COUNTING_NATIVE_H
#define FW_COUNTING_NATIVE_H

#include <furwock/cond.h>
#include <furwock/mutex.h>
#include <furwock/rwlock.h>
#include <furwock/sem.h>

/*
 * Waits for furwock's own locks, of a program that uses its shared library: each is the library's
 * slow path of that name, called and counted.  native_names.c gives them its public names; the
 * library that checks has its own (checking/native_*.c), and calls these.
 */

/* The function of that name in furwock's shared library, with its type. */
void *fw_stat_native_next_(void **known, const char *name);

#define FW_NATIVE_(name) FW_NATIVE_NAMED_(name, #name)
/* The same of fw_x_slow_, by the name that programs have compiled in: fw_x_slow. */
#define FW_NATIVE_ABI_(name) FW_NATIVE_NAMED_(name##_, FW_ABI_TEXT_(name))
#define FW_NATIVE_NAMED_(name, text)                     \
    __extension__({                                      \
        static void *known_;                             \
        union {                                          \
            void *address;                               \
            __typeof__(&(name)) function;                \
        } next_ = {fw_stat_native_next_(&known_, text)}; \
        next_.function;                                  \
    })

void fw_stat_native_mutex_lock_(fw_mutex *m, const void *site);
int fw_stat_native_mutex_timedlock_(fw_mutex *m, const fw_deadline *deadline, const void *site);
void fw_stat_native_rdlock_(fw_rwlock *l, uint64_t seen, const void *site);
void fw_stat_native_wrlock_(fw_rwlock *l, uint64_t seen, const void *site);
void fw_stat_native_sem_wait_(fw_sem *sem, const void *site);
void fw_stat_native_cond_wait_(fw_cond *c, fw_mutex *m, const void *site);
int fw_stat_native_cond_timedwait_(fw_cond *c, fw_mutex *m, const fw_deadline *deadline,
                                   const void *site);

#endif
