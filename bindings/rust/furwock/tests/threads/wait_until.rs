// SPDX-License-Identifier: MIT
//! Waits for conditions that nobody signals.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use furwock::{Mutex, MutexGuardExt};

use crate::LONG;

const SHORT: Duration = Duration::from_millis(1);

#[test]
fn what_is_true_does_not_wait_and_what_stays_false_times_out() {
    let value: &Mutex<[u8]> = &Mutex::new([1, 2]);
    let mut guard = value.lock();
    guard.wait_until(|value| value.len() == 2);
    assert!(guard.wait_until_for(|value| value[0] == 1, Duration::ZERO));
    assert!(guard.wait_until_at(|_| true, Instant::now()));
    assert!(!guard.wait_until_for(|value| value[0] == 2, SHORT));
    assert!(!guard.wait_until_at(|_| false, Instant::now() + SHORT));
    guard[0] = 2; // it still holds the mutex
    assert!(value.try_lock().is_none());
}

/// A bounded queue: the predicates run in whatever thread releases.
#[test]
fn a_queue_without_a_condition_variable() {
    const ITEMS: usize = 2000;
    let (queue, looks) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let mut sum = 0;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for item in 0..ITEMS {
                    let mut queue = queue.lock();
                    queue.wait_until(|queue: &Vec<usize>| queue.len() < 2);
                    queue.push(item);
                }
            });
        }
        for _ in 0..2 * ITEMS {
            let mut queue = queue.lock();
            assert!(queue.wait_until_for(
                |queue| {
                    looks.fetch_add(1, Ordering::Relaxed);
                    !queue.is_empty()
                },
                LONG
            ));
            sum += queue.pop().expect("not empty");
        }
    });
    assert_eq!(sum, ITEMS * (ITEMS - 1));
    assert!(looks.into_inner() >= 2 * ITEMS);
}

#[test]
fn a_predicate_may_panic_before_the_wait() {
    let value = Mutex::new(0);
    let mut guard = value.lock();
    let result = catch_unwind(AssertUnwindSafe(|| guard.wait_until(|_| panic!("not today"))));
    assert!(result.is_err());
    drop(guard);
    assert!(value.try_lock().is_some());
}
