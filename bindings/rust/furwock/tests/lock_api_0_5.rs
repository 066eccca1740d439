// SPDX-License-Identifier: MIT
//! The raw locks under the types of lock_api 0.5.
#![cfg(feature = "lock_api_0_5")]

use std::time::{Duration, Instant};

use furwock::{
    RawFairMutex, RawMutex, RawRwLock, RawRwLockGreedy, RawRwLockReaders, RawRwLockWriters,
};
use lock_api_0_5 as lock_api;

use lock_api::{Condvar, Mutex, MutexGuard, RwLock, RwLockUpgradableReadGuard, RwLockWriteGuard};

const THREADS: u64 = 4;
const ROUNDS: u64 = 2_000;
const LONG: Duration = Duration::from_secs(60);

fn mutex<R>()
where
    R: lock_api::RawMutexFair
        + lock_api::RawMutexTimed<Duration = Duration, Instant = Instant>
        + Send
        + Sync,
{
    let total = Mutex::<R, u64>::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let mut guard = total.try_lock_for(LONG).expect("it becomes free");
                    *guard += 1;
                    MutexGuard::unlock_fair(guard);
                }
            });
        }
        let held = total.lock();
        assert!(total.is_locked());
        scope.spawn(|| assert!(total.try_lock_until(Instant::now()).is_none())).join().unwrap();
        drop(held);
    });
    assert_eq!(*total.lock(), THREADS * ROUNDS);
}

#[test]
fn mutexes() {
    mutex::<RawMutex>();
    mutex::<RawFairMutex>();
}

fn rwlock<R>()
where
    R: lock_api::RawRwLockUpgradeDowngrade
        + lock_api::RawRwLockUpgradeTimed
        + lock_api::RawRwLockTimed<Duration = Duration, Instant = Instant>
        + Send
        + Sync,
{
    let pair = RwLock::<R, (u64, u64)>::new((0, 0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let seen = pair.read();
                    assert_eq!(seen.0, seen.1);
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let seen = pair.upgradable_read();
                    let before = seen.0;
                    let mut guard = RwLockUpgradableReadGuard::upgrade(seen);
                    assert_eq!(guard.0, before);
                    guard.0 += 1;
                    guard.1 += 1;
                    drop(RwLockWriteGuard::downgrade(guard));
                }
            });
        }
    });
    let upgradable = pair.upgradable_read();
    assert!(pair.try_read().is_some());
    let write = RwLockUpgradableReadGuard::try_upgrade_for(upgradable, LONG).ok().unwrap();
    assert_eq!(*write, (2 * ROUNDS, 2 * ROUNDS));
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(pair.try_read_for(Duration::from_millis(1)).is_none()));
    });
    let upgradable = RwLockWriteGuard::downgrade_to_upgradable(write);
    assert!(pair.is_locked() && !pair.is_locked_exclusive());
    drop(RwLockUpgradableReadGuard::downgrade(upgradable));
    assert!(!pair.is_locked());
}

#[test]
fn read_write_locks() {
    rwlock::<RawRwLock>();
    rwlock::<RawRwLockReaders>();
    rwlock::<RawRwLockWriters>();
    rwlock::<RawRwLockGreedy>();
}

#[test]
fn condition_variables() {
    let (ready, changed) =
        (Mutex::<RawMutex, bool>::new(false), Condvar::<furwock::Condvar>::new());
    std::thread::scope(|scope| {
        let mut guard = ready.lock();
        assert!(changed.wait_for(&mut guard, Duration::from_millis(1)).timed_out());
        assert!(!changed.notify_one());
        scope.spawn(|| {
            *ready.lock() = true;
            assert_eq!(changed.notify_all(), 1);
        });
        changed.wait(&mut guard);
        assert!(*guard);
    });
}

#[test]
fn reentrant_mutexes() {
    use furwock::RawThreadId;

    let mutex = lock_api::ReentrantMutex::<RawMutex, RawThreadId, u32>::new(1);
    let outer = mutex.lock();
    assert_eq!(*outer + *mutex.lock(), 2);
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(mutex.try_lock().is_none()));
    });
}
