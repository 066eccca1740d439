// SPDX-License-Identifier: MIT
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use furwock::future::{ReadFuture, RwLockAsync, RwLockReadGuard, RwLockWriteGuard, WriteFuture};
use furwock::{RawRwLock, RwLock, RwLockReaders, RwLockWriters};

use crate::executor::{block_on, poll, poll_once, run, yield_now, Calls};

#[test]
fn what_may_be_sent() {
    fn may<T: Send + Sync>() {}
    may::<RwLockReadGuard<'static, RawRwLock, u32>>();
    may::<RwLockWriteGuard<'static, RawRwLock, u32>>();
    may::<ReadFuture<'static, RawRwLock, u32>>();
    may::<WriteFuture<'static, RawRwLock, u32>>();
}

#[test]
fn readers_share_it() {
    let lock = RwLock::new(7);
    let one = block_on(lock.read_async());
    let two = block_on(lock.read_async()); // by the same thread, by another task
    let three = thread::scope(|scope| scope.spawn(|| *lock.read()).join().unwrap());
    assert_eq!((*one, *two, three), (7, 7, 7));
    assert!(lock.try_write().is_none());
    assert!(std::ptr::eq(RwLockReadGuard::rwlock(&one), &lock));
    drop(one);
    thread::scope(|scope| scope.spawn(move || drop(two)).join().unwrap());
    assert!(lock.try_write().is_some());
}

#[test]
fn every_kind_has_futures() {
    let (readers, writers) = (RwLockReaders::new(1), RwLockWriters::new(1));
    *block_on(readers.write_async()) += *block_on(writers.read_async());
    *block_on(writers.write_async()) += *block_on(readers.read_async());
    assert_eq!((readers.into_inner(), writers.into_inner()), (2, 3));
}

#[test]
fn a_writer_waits_for_the_readers() {
    let lock = RwLock::new(1);
    let task = block_on(lock.read_async());
    let thread = lock.read();
    let calls = Calls::new();
    let mut future = pin!(lock.write_async());
    assert!(poll(future.as_mut(), &calls).is_pending());
    drop(task);
    assert!(poll(future.as_mut(), &calls).is_pending());
    drop(thread);
    calls.wait();
    let Poll::Ready(mut guard) = poll(future.as_mut(), &calls) else { panic!("woken") };
    *guard = 2;
    assert!(lock.try_read().is_none());
    drop(guard);
    assert_eq!(*lock.read(), 2);
    assert_eq!(Arc::strong_count(&calls), 1);
}

#[test]
fn readers_wait_for_the_writer() {
    let lock = RwLock::new(1);
    let mut guard = block_on(lock.write_async());
    let all: Vec<_> = (0..3).map(|_| Calls::new()).collect();
    let mut readers: Vec<_> = all.iter().map(|_| Box::pin(lock.read_async())).collect();
    for (reader, calls) in readers.iter_mut().zip(&all) {
        assert!(poll(reader.as_mut(), calls).is_pending());
    }
    *guard += 1;
    drop(guard);
    let guards: Vec<_> = readers.into_iter().map(block_on).collect();
    assert!(guards.iter().all(|guard| **guard == 2) && lock.try_write().is_none());
    drop(guards);
    assert!(lock.try_write().is_some());
}

#[test]
fn futures_that_are_dropped() {
    let lock = RwLock::new(());
    let held = lock.write();
    let (calls, other) = (Calls::new(), Calls::new());
    let mut writer = Box::pin(lock.write_async());
    let mut reader = Box::pin(lock.read_async());
    assert!(poll(writer.as_mut(), &calls).is_pending());
    assert!(poll(reader.as_mut(), &other).is_pending());
    drop(writer); // while it waits
    drop(held);
    other.wait();
    drop(reader); // once it is granted
    assert!(lock.try_write().is_some());
    let reading = lock.read();
    let mut writer = Box::pin(lock.write_async());
    assert!(poll(writer.as_mut(), &calls).is_pending());
    drop(reading);
    calls.wait();
    assert!(lock.try_read().is_none());
    drop(writer);
    assert!(lock.try_write().is_some() && poll_once(pin!(lock.read_async())).is_ready());
    assert_eq!((Arc::strong_count(&calls), Arc::strong_count(&other)), (1, 1));
}

#[test]
fn tasks_and_threads_exclude_each_other() {
    const EACH: u64 = 500;
    let shared = Arc::new((RwLock::new((0, 0)), AtomicU32::new(0)));
    let tasks = (0..12).map(|i| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            let (lock, readers) = &*shared;
            for n in 0..EACH {
                if (i + n) % 4 == 0 {
                    let mut both = lock.write_async().await;
                    assert_eq!(readers.load(Ordering::Relaxed), 0);
                    both.0 += 1;
                    yield_now().await;
                    both.1 += 1;
                } else {
                    let both = lock.read_async().await;
                    readers.fetch_add(1, Ordering::Relaxed);
                    yield_now().await;
                    assert_eq!(both.0, both.1);
                    readers.fetch_sub(1, Ordering::Relaxed);
                }
            }
        }) as _
    });
    let tasks = tasks.collect();
    let (lock, readers) = &*shared;
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for n in 0..EACH {
                    if n % 4 == 0 {
                        let mut both = lock.write();
                        assert_eq!(readers.load(Ordering::Relaxed), 0);
                        both.0 += 1;
                        both.1 += 1;
                    } else {
                        let both = lock.read();
                        assert_eq!(both.0, both.1);
                    }
                }
            });
        }
        run(2, tasks);
    });
    assert_eq!(*lock.read(), (14 * EACH / 4, 14 * EACH / 4));
}
