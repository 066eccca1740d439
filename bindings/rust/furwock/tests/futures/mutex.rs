// SPDX-License-Identifier: MIT
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use furwock::future::{LockAsync, LockFuture, MutexGuard};
use furwock::Mutex;

use crate::executor::{block_on, eventually, poll, poll_once, run, yield_now, Calls};

fn ready<T>(state: Poll<T>) -> T {
    match state {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it has not been granted"),
    }
}

#[test]
fn what_may_be_sent() {
    fn may<T: Send + Sync>() {}
    fn may_be_sent<T: Send>() {}
    may::<MutexGuard<'static, u32>>();
    may::<LockFuture<'static, u32>>();
    may_be_sent::<MutexGuard<'static, std::cell::Cell<u32>>>();
}

#[test]
fn a_free_mutex_is_locked_by_the_first_poll() {
    let mutex = Mutex::new(1);
    let mut guard = ready(poll_once(pin!(mutex.lock_async())));
    *guard += 1;
    assert!(mutex.is_locked() && mutex.try_lock().is_none());
    assert_eq!(format!("{guard:?} {guard}"), "2 2");
    assert!(std::ptr::eq(MutexGuard::mutex(&guard), &mutex));
    drop(guard);
    assert_eq!(*mutex.lock(), 2);
}

#[test]
fn a_future_that_is_not_polled_does_nothing() {
    let mutex = Mutex::new(());
    let future = mutex.lock_async();
    assert!(!mutex.is_locked());
    drop(future);
    assert!(!mutex.is_locked());
}

#[test]
fn a_thread_hands_it_to_a_task() {
    let mutex = Mutex::new(0);
    let held = mutex.lock();
    let calls = Calls::new();
    let mut future = pin!(mutex.lock_async());
    assert!(poll(future.as_mut(), &calls).is_pending());
    assert!(poll(future.as_mut(), &calls).is_pending());
    assert_eq!(calls.count(), 0);
    drop(held);
    assert_eq!(calls.count(), 1);
    assert!(mutex.try_lock().is_none(), "it has been handed over");
    drop(ready(poll(future.as_mut(), &calls)));
    assert!(mutex.try_lock().is_some());
    assert_eq!((calls.count(), Arc::strong_count(&calls)), (1, 1));
}

#[test]
fn a_task_gives_it_to_a_thread() {
    let mutex = Mutex::new(0);
    let mut guard = block_on(mutex.lock_async());
    thread::scope(|scope| {
        let waiter = scope.spawn(|| *mutex.lock());
        *guard = 1;
        drop(guard);
        assert_eq!(waiter.join().unwrap(), 1);
    });
}

#[test]
fn tasks_are_served_in_order() {
    let mutex = Mutex::new(());
    let held = mutex.lock();
    let mut waiting: Vec<_> = (0..5)
        .map(|_| {
            let mut future = Box::pin(mutex.lock_async());
            let calls = Calls::new();
            assert!(poll(future.as_mut(), &calls).is_pending());
            (future, calls)
        })
        .collect();
    drop(held);
    for next in 0..5 {
        let woken = waiting.iter().filter(|(_, calls)| calls.count() != 0).count();
        assert_eq!(woken, next + 1);
        let (future, calls) = &mut waiting[next];
        drop(ready(poll(future.as_mut(), calls)));
    }
    assert!(!mutex.is_locked());
}

#[test]
fn a_future_that_is_dropped_leaves_the_queue() {
    let mutex = Mutex::new(());
    let held = mutex.lock();
    let (first, second) = (Calls::new(), Calls::new());
    let mut dropped = Box::pin(mutex.lock_async());
    let mut kept = pin!(mutex.lock_async());
    assert!(poll(dropped.as_mut(), &first).is_pending());
    assert!(poll(kept.as_mut(), &second).is_pending());
    drop(dropped);
    assert_eq!(Arc::strong_count(&first), 1);
    drop(held);
    assert_eq!((first.count(), second.count()), (0, 1));
    drop(ready(poll(kept.as_mut(), &second)));
    assert!(!mutex.is_locked());
}

#[test]
fn a_granted_future_that_is_dropped_passes_it_on() {
    let mutex = Mutex::new(());
    let held = mutex.lock();
    let (first, second) = (Calls::new(), Calls::new());
    let mut dropped = Box::pin(mutex.lock_async());
    let mut kept = Box::pin(mutex.lock_async());
    assert!(poll(dropped.as_mut(), &first).is_pending());
    assert!(poll(kept.as_mut(), &second).is_pending());
    drop(held);
    assert_eq!((first.count(), second.count()), (1, 0));
    drop(dropped);
    assert_eq!(second.count(), 1);
    drop(kept);
    assert!(!mutex.is_locked());
    assert_eq!((Arc::strong_count(&first), Arc::strong_count(&second)), (1, 1));
}

#[test]
fn the_last_waker_is_called() {
    let mutex = Mutex::new(());
    let held = mutex.lock();
    let all: Vec<_> = (0..3).map(|_| Calls::new()).collect();
    let mut future = pin!(mutex.lock_async());
    for calls in &all {
        assert!(poll(future.as_mut(), calls).is_pending());
    }
    drop(held);
    assert_eq!(all.iter().map(|c| c.count()).collect::<Vec<_>>(), [0, 0, 1]);
    drop(ready(poll(future.as_mut(), &all[0]))); // by another one, after the grant
    assert!(all.iter().all(|calls| Arc::strong_count(calls) == 1));
}

#[test]
fn a_guard_goes_to_another_thread() {
    let mutex = Mutex::new(0);
    let mut guard = block_on(mutex.lock_async());
    thread::scope(|scope| {
        scope.spawn(move || {
            *guard += 1;
            drop(guard);
        });
    });
    assert_eq!(*mutex.lock(), 1);
}

#[test]
fn a_panic_releases_it() {
    let mutex = Mutex::new(0);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _guard = block_on(mutex.lock_async());
        panic!("while it is held");
    }));
    assert!(result.is_err() && !mutex.is_locked());
}

#[test]
fn tasks_and_threads_exclude_each_other() {
    const EACH: u64 = if cfg!(miri) { 10 } else { 2000 };
    let mutex = Arc::new(Mutex::new((0, 0)));
    let tasks = (0..8).map(|_| {
        let mutex = Arc::clone(&mutex);
        Box::pin(async move {
            for _ in 0..EACH {
                let mut both = mutex.lock_async().await;
                both.0 += 1;
                yield_now().await;
                both.1 += 1;
                assert_eq!(both.0, both.1);
            }
        }) as _
    });
    let tasks = tasks.collect();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let mut both = mutex.lock();
                    both.0 += 1;
                    both.1 += 1;
                    assert_eq!(both.0, both.1);
                }
            });
        }
        run(2, tasks);
    });
    assert_eq!(*mutex.lock(), (10 * EACH, 10 * EACH));
}

#[test]
fn it_is_granted_while_nobody_polls() {
    let mutex = Mutex::new(());
    let held = mutex.lock();
    let calls = Calls::new();
    let mut future = pin!(mutex.lock_async());
    assert!(poll(future.as_mut(), &calls).is_pending());
    thread::scope(|scope| {
        scope.spawn(|| {
            calls.wait();
            assert!(mutex.try_lock().is_none());
        });
        drop(held);
    });
    drop(ready(poll(future.as_mut(), &calls)));
    eventually("it is free", || !mutex.is_locked());
}
