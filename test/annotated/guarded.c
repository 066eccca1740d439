/* SPDX-License-Identifier: MIT */
/*
 * A user's program for clang's thread safety analysis: each kind of lock, in each of its forms, and
 * data that it guards.  With WRONG=n the nth error is in it, and must be found.
 */
#include <furwock.h>
#include <furwock/ipc.h>

static fw_mutex mutex = FW_MUTEX_INIT;
static fw_cond changed = FW_COND_INIT;
static long balance FW_GUARDED_BY(mutex);

static fw_rwlock rwlock = FW_RWLOCK_INIT;
static long price FW_GUARDED_BY(rwlock);

static fw_brlock brlock;
static long route FW_GUARDED_BY(brlock);

static fw_ipc_mutex shared_mutex = FW_IPC_MUTEX_INIT;
static long count FW_GUARDED_BY(shared_mutex);

static void add(long amount) FW_REQUIRES(mutex);
static void add(long amount)
{
    balance += amount;
    fw_cond_signal(&changed);
}

static void deposit(const fw_deadline *d)
{
    fw_mutex_lock(&mutex);
    add(1);
    fw_mutex_unlock(&mutex);
    if (fw_mutex_timedlock(&mutex, d) != 0)
        return;
    while (balance < 0)
        fw_cond_wait(&changed, &mutex);
    add(2);
    fw_mutex_unlock_fair(&mutex);
}

static long read_price(void)
{
    long seen;

    fw_rwlock_rdlock(&rwlock);
    seen = price;
    fw_rwlock_rdunlock(&rwlock);
    if (fw_rwlock_trywrlock(&rwlock) == 0) {
        price = seen + 1;
        fw_rwlock_downgrade(&rwlock);
        seen = price;
        fw_rwlock_unlock(&rwlock);
    }
    return seen;
}

static void upgrade(void)
{
    fw_rwlock_upgradable_lock(&rwlock);
    if (price == 0) {
        fw_rwlock_upgrade(&rwlock);
        price = 1;
        fw_rwlock_downgrade_upgradable(&rwlock);
    }
    fw_rwlock_upgradable_unlock(&rwlock);
}

static long look_up(void)
{
    long found;

    fw_brlock_wrlock(&brlock);
    route = 7;
    fw_brlock_wrunlock(&brlock);
    fw_brlock_rdlock(&brlock);
    found = route;
    fw_brlock_rdunlock(&brlock);
    return found;
}

static void helper_of_an_owner(void)
{
    fw_mutex_assert_held(&mutex);
    balance--;
}

static int between_processes(void)
{
    int error = fw_ipc_mutex_lock(&shared_mutex);

    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(&shared_mutex);
    if (error != 0)
        return error;
    fw_ipc_mutex_assert_held(&shared_mutex);
    count++;
    return fw_ipc_mutex_unlock(&shared_mutex);
}

#if WRONG == 1
static void wrong(void)
{
    balance++;
}
#elif WRONG == 2
static void wrong(void)
{
    fw_mutex_lock(&mutex);
}
#elif WRONG == 3
static void wrong(void)
{
    fw_rwlock_rdlock(&rwlock);
    price = 3;
    fw_rwlock_rdunlock(&rwlock);
}
#elif WRONG == 4
static void wrong(void)
{
    fw_mutex_lock(&mutex);
    fw_mutex_lock(&mutex);
    fw_mutex_unlock(&mutex);
}
#elif WRONG == 5
static void wrong(void)
{
    fw_cond_wait(&changed, &mutex);
}
#elif WRONG == 6
static void wrong(void)
{
    if (fw_mutex_trylock(&mutex) != 0)
        balance = 6;
    else
        fw_mutex_unlock(&mutex);
}
#elif WRONG == 7
static void wrong(void)
{
    fw_brlock_rdlock(&brlock);
    fw_brlock_wrunlock(&brlock);
}
#elif WRONG == 8
static void wrong(void)
{
    count++;
}
#else
static void wrong(void) {}
#endif

int main(void)
{
    deposit(NULL);
    read_price();
    upgrade();
    wrong();
    fw_mutex_lock(&mutex);
    helper_of_an_owner();
    fw_mutex_unlock(&mutex);
    return (fw_brlock_init(&brlock) == 0 && look_up() == 0) || between_processes() == 0;
}
