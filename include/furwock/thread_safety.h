/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_THREAD_SAFETY_H
#define FURWOCK_THREAD_SAFETY_H

/*
 * Attributes for clang's thread safety analysis (-Wthread-safety): which lock protects what, and
 * what a function does with a lock.  Every other compiler, and clang without that option, sees
 * nothing of them.  furwock's own types and calls bear them, in C and in C++.
 *
 * Rules
 *  - A variable that is FW_GUARDED_BY(lock) is read while the lock is held (in whatever mode), and
 *    written while it is held for writing.  FW_PT_GUARDED_BY: so is what a pointer points to.
 *  - A function that is FW_REQUIRES(lock) is called with it held; one that is FW_EXCLUDES(lock),
 *    without.  FW_ACQUIRE and FW_RELEASE take and leave it, FW_TRY_ACQUIRE(result, lock) takes it
 *    if it returns that (calls in C: 0).
 *  - A lock is named as at the call: `lock`, `&a->lock`, `m` for a parameter.
 *  - Conditions are followed where they test the result itself: `if (fw_mutex_trylock(&m) == 0)`.
 *  - Upgradable readers are readers to the analysis.  Of an upgrade that may fail it knows nothing:
 *    a function with one is FW_NO_THREAD_SAFETY_ANALYSIS.
 *  - A lock between processes may be held after an error (EOWNERDEAD), which the analysis cannot
 *    say.  Its calls have no attributes; after a lock, fw_ipc_mutex_assert_held says it.
 *  - In C++, std::lock_guard bears the attributes only with libc++ and
 *    _LIBCPP_ENABLE_THREAD_SAFETY_ANNOTATIONS; fw::lock_guard and fw::shared_lock_guard always do
 *    (furwock/guards.hpp).
 *  - In C, clang before 18 knows no member of a struct in the attribute of another member: guard
 *    variables, or write FW_REQUIRES at functions.
 *
 * Example: clang -Wthread-safety reports each use of the balance outside of the lock
 *
 *     static fw_mutex lock = FW_MUTEX_INIT;
 *     static long balance FW_GUARDED_BY(lock);
 *
 *     static void add(long amount) FW_REQUIRES(lock);
 *     static void add(long amount)
 *     {
 *         balance += amount;
 *     }
 *
 *     int deposit(long amount)
 *     {
 *         if (fw_mutex_trylock(&lock) != 0)
 *             return EBUSY;
 *         add(amount);
 *         fw_mutex_unlock(&lock);
 *         return 0;
 *     }
 */
#if defined(__clang__) && defined(__has_attribute)
#if __has_attribute(acquire_capability)
#define FW_ANALYSED_(attribute) __attribute__((attribute))
#endif
#endif
#ifndef FW_ANALYSED_
#define FW_ANALYSED_(attribute)
#endif

/* Of types: a lock; in C++, a guard that holds one as long as it lives. */
#define FW_CAPABILITY(name) FW_ANALYSED_(capability(name))
#define FW_SCOPED_CAPABILITY FW_ANALYSED_(scoped_lockable)

/* Of variables. */
#define FW_GUARDED_BY(lock) FW_ANALYSED_(guarded_by(lock))
#define FW_PT_GUARDED_BY(lock) FW_ANALYSED_(pt_guarded_by(lock))

/* Of locks: the order in which they are taken (-Wthread-safety-beta). */
#define FW_ACQUIRED_BEFORE(...) FW_ANALYSED_(acquired_before(__VA_ARGS__))
#define FW_ACQUIRED_AFTER(...) FW_ANALYSED_(acquired_after(__VA_ARGS__))

/* Of functions: what the caller must hold, or must not; what is taken and left. */
#define FW_REQUIRES(...) FW_ANALYSED_(requires_capability(__VA_ARGS__))
#define FW_REQUIRES_SHARED(...) FW_ANALYSED_(requires_shared_capability(__VA_ARGS__))
#define FW_EXCLUDES(...) FW_ANALYSED_(locks_excluded(__VA_ARGS__))
#define FW_ACQUIRE(...) FW_ANALYSED_(acquire_capability(__VA_ARGS__))
#define FW_ACQUIRE_SHARED(...) FW_ANALYSED_(acquire_shared_capability(__VA_ARGS__))
#define FW_RELEASE(...) FW_ANALYSED_(release_capability(__VA_ARGS__))
#define FW_RELEASE_SHARED(...) FW_ANALYSED_(release_shared_capability(__VA_ARGS__))
#define FW_RELEASE_GENERIC(...) FW_ANALYSED_(release_generic_capability(__VA_ARGS__))
#define FW_TRY_ACQUIRE(...) FW_ANALYSED_(try_acquire_capability(__VA_ARGS__))
#define FW_TRY_ACQUIRE_SHARED(...) FW_ANALYSED_(try_acquire_shared_capability(__VA_ARGS__))

/* Of functions that end the program unless the lock is held, or that return one. */
#define FW_ASSERT_CAPABILITY(lock) FW_ANALYSED_(assert_capability(lock))
#define FW_ASSERT_SHARED_CAPABILITY(lock) FW_ANALYSED_(assert_shared_capability(lock))
#define FW_RETURN_CAPABILITY(lock) FW_ANALYSED_(lock_returned(lock))

/* Of functions that are not analysed. */
#define FW_NO_THREAD_SAFETY_ANALYSIS FW_ANALYSED_(no_thread_safety_analysis)

#endif
