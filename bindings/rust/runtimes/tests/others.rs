// SPDX-License-Identifier: MIT
//! In smol's executor and in those of the crate futures.

use std::sync::Arc;

use async_executor::Executor;
use furwock::future::LockAsync;
use furwock::Mutex;
use futures_executor::ThreadPool;
use futures_lite::future::{block_on, or, yield_now};

const TASKS: u64 = 30;
const EACH: u64 = 300;

async fn work(mutex: Arc<Mutex<(u64, u64)>>) {
    for _ in 0..EACH {
        let mut both = mutex.lock_async().await;
        both.0 += 1;
        yield_now().await;
        both.1 += 1;
        assert_eq!(both.0, both.1);
    }
}

#[test]
fn in_smol() {
    let mutex = Arc::new(Mutex::new((0, 0)));
    let executor = Executor::new();
    let tasks: Vec<_> = (0..TASKS).map(|_| executor.spawn(work(Arc::clone(&mutex)))).collect();
    let stop = furwock::Event::manual();
    std::thread::scope(|scope| {
        let runner = scope.spawn(|| block_on(executor.run(stop.wait_async())));
        block_on(executor.run(async {
            for task in tasks {
                task.await;
            }
        }));
        stop.set();
        runner.join().unwrap();
    });
    assert_eq!(*mutex.lock(), (TASKS * EACH, TASKS * EACH));
}

#[test]
fn in_a_thread_pool_of_futures() {
    let mutex = Arc::new(Mutex::new((0, 0)));
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let done = Arc::new(furwock::Latch::new(TASKS as u32));
    for _ in 0..TASKS {
        let (mutex, done) = (Arc::clone(&mutex), Arc::clone(&done));
        pool.spawn_ok(async move {
            work(mutex).await;
            done.count_down(1);
        });
    }
    futures_executor::block_on(done.wait_async());
    assert_eq!(*mutex.lock(), (TASKS * EACH, TASKS * EACH));
}

#[test]
fn the_slower_of_two() {
    let mutex = Mutex::new(1);
    let held = block_on(mutex.lock_async());
    let lock = async { *mutex.lock_async().await };
    assert_eq!(block_on(or(lock, async { 2 })), 2);
    drop(held);
    assert!(mutex.try_lock().is_some());
}

#[test]
fn many_at_once_in_one_task() {
    let mutex = Mutex::new(0);
    let add = || async {
        let mut number = mutex.lock_async().await;
        yield_now().await;
        *number += 1;
    };
    block_on(async {
        futures_util::future::join_all((0..100).map(|_| add())).await;
        let (a, b) = (add(), add());
        futures_util::join!(a, b);
    });
    assert_eq!(*mutex.lock(), 102);
}
