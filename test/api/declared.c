/* SPDX-License-Identifier: MIT */
/*
 * A program that includes no header of the library, as bindings do: it declares what it calls,
 * among that every call that the headers compile into their users, and knows of the objects only
 * how large they are.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(EXIT_FAILURE);                                             \
        }                                                                   \
    } while (0)

/* furwock/once.h, mutex.h, rwlock.h, sem.h */
bool fw_once_is_done(const void *o);
int fw_once_call(void *o, int (*init)(void *), void *arg);
void fw_mutex_lock(void *m);
int fw_mutex_trylock(void *m);
void fw_mutex_unlock(void *m);
void fw_rwlock_rdlock(void *l);
void fw_rwlock_rdunlock(void *l);
void fw_rwlock_wrlock(void *l);
void fw_rwlock_wrunlock(void *l);
int fw_rwlock_tryrdlock(void *l);
int fw_sem_init(void *s, uint32_t value, uint32_t max);
int fw_sem_trywait(void *s);
void fw_sem_wait(void *s);
int fw_sem_post(void *s);

/* furwock/ipc/ */
int fw_region_open_fd(int fd, size_t size, unsigned flags, void **region);
int fw_region_close(void *region);
int fw_region_mutex(void *region, const char *name, unsigned flags, void **m);
int fw_region_rwlock(void *region, const char *name, unsigned flags, void **l);
int fw_region_cond(void *region, const char *name, unsigned flags, void **c);
int fw_region_once(void *region, const char *name, unsigned flags, void **o);
int fw_region_journal(void *region, const char *name, size_t capacity, unsigned flags, void **j);
size_t fw_ipc_journal_size(size_t capacity);
int fw_ipc_mutex_lock(void *m);
int fw_ipc_mutex_unlock(void *m);
int fw_ipc_rwlock_wrlock(void *l);
int fw_ipc_rwlock_unlock(void *l);
int fw_ipc_cond_signal(void *c);
bool fw_ipc_once_is_done(const void *o);
int fw_ipc_once_call(void *o, int (*init)(void *), void *arg);

enum { CREATE = 1 << 16, REGION_BYTES = 1 << 20, JOURNAL_BYTES = 20 };

static int called;

static int count(void *arg)
{
    (void)arg;
    called++;
    return 0;
}

static void use_locks_of_threads(void)
{
    uint64_t zeroes[8] = {0};

    fw_mutex_lock(zeroes);
    CHECK(fw_mutex_trylock(zeroes) == EBUSY);
    fw_mutex_unlock(zeroes);
    memset(zeroes, 0, sizeof zeroes);
    fw_rwlock_rdlock(zeroes);
    CHECK(fw_rwlock_tryrdlock(zeroes) == 0);
    fw_rwlock_rdunlock(zeroes);
    fw_rwlock_rdunlock(zeroes);
    fw_rwlock_wrlock(zeroes);
    CHECK(fw_rwlock_tryrdlock(zeroes) == EBUSY);
    fw_rwlock_wrunlock(zeroes);
    CHECK(fw_sem_init(zeroes, 1, 1) == 0);
    fw_sem_wait(zeroes);
    CHECK(fw_sem_trywait(zeroes) == EAGAIN && fw_sem_post(zeroes) == 0);
    memset(zeroes, 0, sizeof zeroes);
    CHECK(!fw_once_is_done(zeroes) && fw_once_call(zeroes, count, NULL) == 0);
    CHECK(fw_once_is_done(zeroes) && fw_once_call(zeroes, count, NULL) == 0 && called == 1);
}

static void use_locks_of_processes(void *region)
{
    void *m, *l, *c, *o, *again, *j;

    CHECK(fw_region_mutex(region, "m", 0, &m) == ENOENT && m == NULL);
    CHECK(fw_region_mutex(region, "m", CREATE, &m) == 0 && m != NULL);
    CHECK(fw_region_rwlock(region, "m", CREATE, &l) == EPROTO && l == NULL);
    CHECK(fw_region_rwlock(region, "l", CREATE, &l) == 0);
    CHECK(fw_region_cond(region, "c", CREATE, &c) == 0);
    CHECK(fw_region_once(region, "o", CREATE, &o) == 0);
    CHECK(fw_region_mutex(region, "m", 0, &again) == 0 && again == m);
    CHECK(fw_ipc_mutex_lock(m) == 0 && fw_ipc_mutex_unlock(m) == 0);
    CHECK(fw_ipc_rwlock_wrlock(l) == 0 && fw_ipc_rwlock_unlock(l) == 0);
    CHECK(fw_ipc_cond_signal(c) == 0);
    CHECK(!fw_ipc_once_is_done(o) && fw_ipc_once_call(o, count, NULL) == 0 && called == 2);
    CHECK(fw_ipc_once_is_done(o) && fw_ipc_once_call(o, count, NULL) == 0 && called == 2);
    CHECK(fw_region_journal(region, "j", JOURNAL_BYTES, CREATE, &j) == 0);
    CHECK(fw_ipc_journal_size(JOURNAL_BYTES) == fw_ipc_journal_size(0) + 24);
}

int main(void)
{
    int fd = memfd_create("declared", MFD_CLOEXEC);
    void *region;

    CHECK(fd >= 0);
    use_locks_of_threads();
    CHECK(fw_region_open_fd(fd, REGION_BYTES, CREATE, &region) == 0);
    use_locks_of_processes(region);
    CHECK(fw_region_close(region) == 0);
    close(fd);
    return EXIT_SUCCESS;
}
