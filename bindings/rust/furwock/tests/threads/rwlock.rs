// SPDX-License-Identifier: MIT
//! Many readers or one writer, of all three kinds.

use std::time::{Duration, Instant};

use furwock::lock_api::{self, RawRwLockDowngrade, RawRwLockTimed, RawRwLockUpgradeDowngrade};
use furwock::{
    BrLock, Latch, RawRwLock, RawRwLockGreedy, RawRwLockReaders, RawRwLockWriters, RwLock,
    RwLockReaders, RwLockUpgradableReadGuard, RwLockWriteGuard, RwLockWriters,
};

use crate::LONG;

/// Writers keep two words equal; readers look.
fn excludes<R>()
where
    R: RawRwLockUpgradeDowngrade + RawRwLockDowngrade + RawRwLockTimed + Send + Sync,
{
    const ROUNDS: u64 = 2_000;
    let lock = lock_api::RwLock::<R, (u64, u64)>::new((0, 0));
    let look = |pair: &(u64, u64)| assert_eq!(pair.0, pair.1);
    let change = |pair: &mut (u64, u64)| {
        pair.0 += 1;
        std::hint::black_box(&pair);
        pair.1 += 1;
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..ROUNDS).for_each(|_| look(&lock.read())));
        }
        scope.spawn(|| (0..ROUNDS).for_each(|_| change(&mut lock.write())));
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                let seen = lock.upgradable_read();
                look(&seen);
                let before = seen.0;
                let mut guard = lock_api::RwLockUpgradableReadGuard::upgrade(seen);
                assert_eq!(guard.0, before, "nobody came in between");
                change(&mut guard);
                look(&lock_api::RwLockWriteGuard::downgrade(guard));
            }
        });
    });
    assert_eq!(*lock.read(), (2 * ROUNDS, 2 * ROUNDS));
}

#[test]
fn fair_excludes() {
    excludes::<RawRwLock>();
}

#[test]
fn readers_exclude() {
    excludes::<RawRwLockReaders>();
}

#[test]
fn writers_exclude() {
    excludes::<RawRwLockWriters>();
    excludes::<RawRwLockGreedy>();
}

/// Is a reader, while another reads and a writer waits, kept out at some time?  The writer is
/// queued some time after it has begun, so this looks again, for that time.
fn keeps_readers_out<R: lock_api::RawRwLock + Send + Sync>(time: Duration) -> bool {
    let lock = lock_api::RwLock::<R, ()>::new(());
    let started = Latch::new(1);
    let mut kept_out = false;
    std::thread::scope(|scope| {
        let held = lock.read();
        scope.spawn(|| {
            started.count_down(1);
            drop(lock.write());
        });
        started.wait();
        let limit = Instant::now() + time;
        while !kept_out && Instant::now() < limit {
            kept_out = lock.try_read().is_none();
            std::thread::yield_now();
        }
        drop(held);
    });
    kept_out
}

#[test]
fn a_waiting_writer_keeps_readers_out_unless_they_are_preferred() {
    assert!(keeps_readers_out::<RawRwLock>(LONG));
    assert!(keeps_readers_out::<RawRwLockWriters>(LONG));
    assert!(keeps_readers_out::<RawRwLockGreedy>(LONG));
    assert!(!keeps_readers_out::<RawRwLockReaders>(Duration::from_millis(50)));
}

#[test]
fn a_thread_may_read_twice_where_readers_are_preferred() {
    let lock = RwLockReaders::new(1);
    let outer = lock.read();
    assert_eq!(*lock.read_recursive() + *outer, 2);
    assert!(lock.try_read_recursive().is_some());
    assert!(lock.try_read_recursive_for(Duration::ZERO).is_some());
}

#[test]
fn modes_exclude_each_other() {
    let lock = RwLock::new(0);
    let upgradable = lock.upgradable_read();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(lock.try_read().is_some());
            assert!(lock.try_upgradable_read().is_none());
            assert!(lock.try_write().is_none());
            assert!(lock.try_write_for(Duration::from_millis(1)).is_none());
        });
    });
    let write = RwLockUpgradableReadGuard::try_upgrade(upgradable).expect("no readers");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(lock.try_read().is_none());
            assert!(lock.try_read_for(Duration::from_millis(1)).is_none());
            assert!(lock.is_locked() && lock.is_locked_exclusive());
        });
    });
    let upgradable = RwLockWriteGuard::downgrade_to_upgradable(write);
    let read = RwLockUpgradableReadGuard::downgrade(upgradable);
    assert!(lock.is_locked() && !lock.is_locked_exclusive());
    drop(read);
    assert!(!lock.is_locked());
}

#[test]
fn an_upgrade_waits_for_readers_so_long_at_most() {
    let lock = RwLockWriters::new(0);
    let upgradable = lock.upgradable_read();
    let (ready, go) = (Latch::new(1), Latch::new(1));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _reader = lock.read();
            ready.count_down(1);
            go.wait();
        });
        ready.wait();
        let upgradable =
            lock_api::RwLockUpgradableReadGuard::try_upgrade_for(upgradable, Duration::ZERO)
                .expect_err("there is a reader");
        go.count_down(1);
        let upgraded = lock_api::RwLockUpgradableReadGuard::try_upgrade_for(upgradable, LONG);
        *upgraded.expect("the reader leaves") += 1;
    });
    assert_eq!(*lock.read(), 1);
}

#[test]
fn big_reader_lock_excludes() {
    const ROUNDS: u64 = 500;
    let lock = BrLock::new((0, 0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..ROUNDS * 4 {
                    let pair = lock.read();
                    assert_eq!(pair.0, pair.1);
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                let mut pair = lock.write();
                pair.0 += 1;
                pair.1 += 1;
            }
        });
    });
    assert_eq!(*lock.read(), (ROUNDS, ROUNDS));
    let write = lock.write();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(lock.try_read().is_none() && lock.try_write().is_none());
            assert!(lock.try_read_for(Duration::from_millis(1)).is_none());
            assert!(lock.try_write_for(Duration::from_millis(1)).is_none());
        });
    });
    drop(write);
}

#[test]
fn a_big_reader_lock_may_be_dropped_although_a_guard_was_leaked() {
    let lock = BrLock::new(String::from("dropped"));
    std::mem::forget(lock.read());
    drop(lock);
    let lock = BrLock::new(String::from("dropped"));
    std::mem::forget(lock.write());
    drop(lock);
}
