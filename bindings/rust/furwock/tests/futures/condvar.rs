// SPDX-License-Identifier: MIT
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use furwock::future::{ConditionWait, LockAsync};
use furwock::{Condvar, Mutex};

use crate::executor::{block_on, eventually, poll, run, Calls};

/// A future that waits, and its waker.
macro_rules! waiting {
    ($future:ident, $calls:ident, $condvar:expr, $mutex:expr) => {
        let $calls = Calls::new();
        let mut $future = Box::pin($condvar.wait_async(block_on($mutex.lock_async())));
        assert!(poll($future.as_mut(), &$calls).is_pending());
    };
}

#[test]
fn what_may_be_sent() {
    fn may<T: Send + Sync>() {}
    may::<ConditionWait<'static, u32>>();
}

#[test]
fn a_notification_by_a_thread() {
    let (mutex, condvar) = (Mutex::new(false), Condvar::new());
    waiting!(future, calls, condvar, mutex);
    assert!(!mutex.is_locked(), "a task that waits has released it");
    *mutex.lock() = true;
    assert!(condvar.notify_one());
    calls.wait();
    assert!(*block_on(future));
    assert!(!mutex.is_locked() && !condvar.notify_one());
    assert_eq!(Arc::strong_count(&calls), 1);
}

#[test]
fn it_returns_with_the_mutex() {
    let (mutex, condvar) = (Mutex::new(()), Condvar::new());
    waiting!(future, calls, condvar, mutex);
    let held = mutex.lock();
    condvar.notify_all();
    assert!(poll(future.as_mut(), &calls).is_pending(), "the mutex is held");
    drop(held);
    eventually("it has the mutex", || match poll(future.as_mut(), &calls) {
        Poll::Ready(guard) => {
            assert!(mutex.is_locked());
            drop(guard);
            true
        }
        Poll::Pending => false,
    });
    assert!(!mutex.is_locked());
    drop(future);
    assert_eq!(Arc::strong_count(&calls), 1);
}

#[test]
fn dropped_before_it_is_polled() {
    let (mutex, condvar) = (Mutex::new(()), Condvar::new());
    let future = condvar.wait_async(block_on(mutex.lock_async()));
    assert!(mutex.is_locked());
    drop(future);
    assert!(!mutex.is_locked() && !condvar.notify_one());
}

#[test]
fn dropped_while_it_waits() {
    let (mutex, condvar) = (Mutex::new(()), Condvar::new());
    waiting!(future, calls, condvar, mutex);
    waiting!(kept, other, condvar, mutex);
    drop(future);
    assert_eq!(Arc::strong_count(&calls), 1);
    condvar.notify_one();
    other.wait();
    drop(block_on(kept));
    assert!(!condvar.notify_one() && calls.count() == 0);
}

/// In whatever moment of its second half a future is dropped: the other waiter is notified.
fn passes_a_notification_on(holds: bool, polls: bool) {
    let (mutex, condvar) = (Mutex::new(()), Condvar::new());
    waiting!(dropped, calls, condvar, mutex);
    waiting!(kept, other, condvar, mutex);
    let held = holds.then(|| mutex.lock());
    condvar.notify_one();
    if polls {
        let _ = poll(dropped.as_mut(), &calls).is_pending();
    }
    drop(dropped);
    drop(held);
    other.wait();
    drop(block_on(kept));
    assert!(!mutex.is_locked() && !condvar.notify_one());
    assert_eq!((Arc::strong_count(&calls), Arc::strong_count(&other)), (1, 1));
}

#[test]
fn dropped_when_notified() {
    passes_a_notification_on(false, false);
}

#[cfg(not(miri))] // the stand-in cannot
#[test]
fn dropped_while_it_waits_for_the_mutex() {
    passes_a_notification_on(true, false);
    passes_a_notification_on(true, true);
}

#[test]
fn tasks_and_threads_wait_for_one_queue() {
    const EACH: u32 = if cfg!(miri) { 10 } else { 500 };
    let shared = Arc::new((Mutex::new(VecDeque::new()), Condvar::new(), Mutex::new(0)));
    let takers = (0..6).map(|_| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            let (queue, not_empty, sum) = &*shared;
            for _ in 0..EACH {
                let queue = queue.lock_async().await;
                let mut queue = not_empty.wait_while_async(queue, |queue| queue.is_empty()).await;
                let item: u32 = queue.pop_front().unwrap();
                drop(queue);
                *sum.lock_async().await += item;
            }
        }) as _
    });
    let takers = takers.collect();
    let (queue, not_empty, sum) = &*shared;
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let mut queue = queue.lock();
                    not_empty.wait_while(&mut queue, |queue| queue.is_empty());
                    let item = queue.pop_front().unwrap();
                    drop(queue);
                    *sum.lock() += item;
                }
            });
        }
        scope.spawn(|| {
            for i in 0..8 * EACH {
                queue.lock().push_back(2);
                match i % 16 {
                    0 => not_empty.notify_all(),
                    _ => usize::from(not_empty.notify_one()),
                };
            }
        });
        run(2, takers);
    });
    assert_eq!(*sum.lock(), 16 * EACH);
}

#[test]
fn another_mutex_than_that_of_the_threads() {
    let (mine, other, condvar) = (Mutex::new(()), Mutex::new(true), Condvar::new());
    thread::scope(|scope| {
        let waiter = scope.spawn(|| condvar.wait_while(&mut other.lock(), |waits| *waits));
        let mut notified = false;
        while !notified {
            thread::yield_now();
            let _held = other.lock();
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let guard = block_on(mine.lock_async());
                let calls = Calls::new();
                let mut future = pin!(condvar.wait_async(guard));
                assert!(poll(future.as_mut(), &calls).is_pending());
            }));
            notified = result.is_err(); // the thread waits
            assert!(!mine.is_locked());
        }
        *other.lock() = false;
        condvar.notify_all();
        waiter.join().unwrap();
    });
}
