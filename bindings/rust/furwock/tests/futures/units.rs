// SPDX-License-Identifier: MIT
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use furwock::future::{AcquireFuture, EventWait, LatchWait, PermitFuture};
use furwock::{Event, Latch, Semaphore};

use crate::executor::{block_on, poll, poll_once, run, yield_now, Calls};

#[test]
fn what_may_be_sent() {
    fn may<T: Send + Sync>() {}
    may::<AcquireFuture<'static>>();
    may::<PermitFuture<'static>>();
    may::<EventWait<'static>>();
    may::<LatchWait<'static>>();
}

#[test]
fn a_unit_is_taken_at_once_or_later() {
    let units = Semaphore::new(1);
    let permit = block_on(units.permit_async());
    let calls = Calls::new();
    let mut future = pin!(units.acquire_async());
    assert!(poll(future.as_mut(), &calls).is_pending());
    drop(permit);
    assert_eq!(calls.count(), 1);
    assert_eq!(units.available(), 0, "the unit is the task's");
    assert!(poll(future.as_mut(), &calls).is_ready());
    assert!(!units.try_acquire() && Arc::strong_count(&calls) == 1);
    units.release();
    assert_eq!(units.available(), 1);
}

#[test]
fn units_of_dropped_futures_come_back() {
    let units = Semaphore::new(0);
    let (waits, granted) = (Calls::new(), Calls::new());
    let mut first = Box::pin(units.permit_async());
    let mut second = Box::pin(units.permit_async());
    assert!(poll(first.as_mut(), &waits).is_pending());
    assert!(poll(second.as_mut(), &granted).is_pending());
    drop(first);
    units.release();
    assert_eq!((waits.count(), granted.count()), (0, 1));
    drop(second);
    assert_eq!(units.available(), 1);
    assert_eq!((Arc::strong_count(&waits), Arc::strong_count(&granted)), (1, 1));
}

#[test]
fn at_most_as_many_tasks_and_threads_as_units() {
    const EACH: u32 = 500;
    let shared = Arc::new((Semaphore::new(3), AtomicU32::new(0)));
    let tasks = (0..8).map(|_| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            let (units, inside) = &*shared;
            for _ in 0..EACH {
                let _permit = units.permit_async().await;
                assert!(inside.fetch_add(1, Ordering::Relaxed) < 3);
                yield_now().await;
                inside.fetch_sub(1, Ordering::Relaxed);
            }
        }) as _
    });
    let tasks = tasks.collect();
    let (units, inside) = &*shared;
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let _permit = units.permit();
                    assert!(inside.fetch_add(1, Ordering::Relaxed) < 3);
                    inside.fetch_sub(1, Ordering::Relaxed);
                }
            });
        }
        run(2, tasks);
    });
    assert_eq!(units.available(), 3);
}

#[test]
fn a_manual_event_releases_all() {
    let event = Event::manual();
    let all: Vec<_> = (0..3).map(|_| Calls::new()).collect();
    let mut waiting: Vec<_> = all.iter().map(|_| Box::pin(event.wait_async())).collect();
    for (future, calls) in waiting.iter_mut().zip(&all) {
        assert!(poll(future.as_mut(), calls).is_pending());
    }
    drop(waiting.pop());
    event.set();
    event.reset(); // those that waited are released all the same
    assert_eq!(all.iter().map(|calls| calls.count()).collect::<Vec<_>>(), [1, 1, 0]);
    for (future, calls) in waiting.iter_mut().zip(&all) {
        assert!(poll(future.as_mut(), calls).is_ready());
    }
    assert!(poll_once(pin!(event.wait_async())).is_pending());
    event.set();
    block_on(event.wait_async());
    assert!(event.is_set());
}

#[test]
fn an_automatic_event_releases_one() {
    let event = Event::automatic();
    let (first, second) = (Calls::new(), Calls::new());
    let mut one = Box::pin(event.wait_async());
    let mut two = Box::pin(event.wait_async());
    assert!(poll(one.as_mut(), &first).is_pending());
    assert!(poll(two.as_mut(), &second).is_pending());
    event.set();
    assert_eq!((first.count(), second.count(), event.is_set()), (1, 0, false));
    drop(one); // the signal is the next one's
    assert_eq!(second.count(), 1);
    drop(two);
    assert!(event.is_set());
    block_on(event.wait_async());
    assert!(!event.is_set());
}

#[test]
fn a_latch_opens() {
    let latch = Latch::new(2);
    let calls = Calls::new();
    let mut future = pin!(latch.wait_async());
    assert!(poll(future.as_mut(), &calls).is_pending());
    {
        let mut dropped = pin!(latch.wait_async());
        assert!(poll_once(dropped.as_mut()).is_pending());
    }
    latch.count_down(1);
    assert_eq!(calls.count(), 0);
    thread::scope(|scope| scope.spawn(|| latch.count_down(1)).join().unwrap());
    calls.wait();
    assert_eq!(poll(future.as_mut(), &calls), Poll::Ready(()));
    block_on(latch.wait_async());
}
