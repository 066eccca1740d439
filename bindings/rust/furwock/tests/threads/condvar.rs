// SPDX-License-Identifier: MIT
//! Condition variables: what parking_lot's tests do not ask.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use furwock::{Condvar, Mutex};

use crate::LONG;

/// Threads wait until `open`; they count themselves while they hold the mutex.
#[derive(Default)]
struct Gathering {
    waiting: usize,
    open: bool,
    left: usize,
}

#[test]
fn each_notification_wakes_one() {
    const THREADS: usize = 4;
    let (state, arrived, opened) =
        (Mutex::new(Gathering::default()), Condvar::new(), Condvar::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut guard = state.lock();
                guard.waiting += 1;
                arrived.notify_one();
                // Woken once, and no more than once: there are no spurious wakes.
                opened.wait(&mut guard);
                assert!(guard.open);
                guard.left += 1;
                arrived.notify_one();
            });
        }
        let mut guard = state.lock();
        arrived.wait_while(&mut guard, |state| state.waiting < THREADS);
        guard.open = true;
        for n in 1..=THREADS {
            assert!(opened.notify_one());
            arrived.wait_while(&mut guard, |state| state.left < n);
            assert_eq!(guard.left, n);
        }
        assert!(!opened.notify_one());
        assert_eq!(opened.notify_all(), 0);
    });
}

#[test]
fn notify_all_says_how_many() {
    const THREADS: usize = 3;
    let (state, arrived, opened) =
        (Mutex::new(Gathering::default()), Condvar::new(), Condvar::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut guard = state.lock();
                guard.waiting += 1;
                arrived.notify_one();
                opened.wait_while(&mut guard, |state| !state.open);
            });
        }
        let mut guard = state.lock();
        arrived.wait_while(&mut guard, |state| state.waiting < THREADS);
        guard.open = true;
        assert_eq!(opened.notify_all(), THREADS);
        assert_eq!(opened.notify_all(), 0);
    });
}

#[test]
fn a_wait_that_times_out_takes_no_notification() {
    let (mutex, changed) = (Mutex::new(()), Condvar::new());
    let mut guard = mutex.lock();
    assert!(changed.wait_for(&mut guard, Duration::from_millis(1)).timed_out());
    assert!(changed.wait_until(&mut guard, std::time::Instant::now()).timed_out());
    drop(guard);
    assert!(!changed.notify_one());
}

#[test]
fn two_mutexes_panic_and_the_second_stays_held() {
    let (first, second, changed) = (Mutex::new(false), Mutex::new(()), Condvar::new());
    let ready = furwock::Latch::new(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut guard = first.lock();
            ready.count_down(1);
            assert!(!changed.wait_while_for(&mut guard, |done| !*done, LONG).timed_out());
        });
        ready.wait();
        let mut guard = first.lock(); // the other one waits, then
        let mut other = second.lock();
        let result = catch_unwind(AssertUnwindSafe(|| changed.wait(&mut other)));
        let payload = result.unwrap_err(); // a &str where the compiler has formatted it
        let formatted = payload.downcast_ref::<String>().map(String::as_str);
        let message = formatted.or(payload.downcast_ref::<&str>().copied()).unwrap();
        assert!(message.contains("two mutexes"), "{message}");
        assert!(second.is_locked());
        *guard = true;
        changed.notify_all();
    });
    // All have left: another mutex may be used now.
    assert!(changed.wait_for(&mut second.lock(), Duration::ZERO).timed_out());
}
