// SPDX-License-Identifier: MIT
//! The mutex as its users have it.

use std::time::Duration;

use furwock::Mutex;

static COUNT: Mutex<u64> = Mutex::new(0);

#[test]
fn excludes() {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 10_000;
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| *COUNT.lock() += 1));
        }
    });
    assert_eq!(*COUNT.lock(), THREADS * ROUNDS);
}

#[test]
fn gives_up_when_the_time_is_over() {
    let mutex = Mutex::new(1);
    let held = mutex.lock();
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(mutex.try_lock_for(Duration::from_millis(1)).is_none()));
    });
    drop(held);
    assert_eq!(mutex.try_lock_for(Duration::MAX).map(|guard| *guard), Some(1));
}
