// SPDX-License-Identifier: MIT
//! In tokio.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use furwock::future::{LockAsync, RwLockAsync};
use furwock::{ipc, Condvar, Event, Mutex, RwLock, Semaphore};
use tokio::task::{yield_now, JoinSet};
use tokio::time::timeout;

/// Only a hang reaches it.
const LONG: Duration = Duration::from_secs(120);
/// What is certain not to happen is waited for this long.
const SHORT: Duration = Duration::from_millis(20);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_and_threads_exclude_each_other() {
    const EACH: u64 = 300;
    let shared = Arc::new(Mutex::new((0, 0)));
    let mut tasks = JoinSet::new();
    for _ in 0..50 {
        let shared = Arc::clone(&shared);
        tasks.spawn(async move {
            for _ in 0..EACH {
                let mut both = shared.lock_async().await;
                both.0 += 1;
                yield_now().await; // the guard may go to another thread here
                both.1 += 1;
                assert_eq!(both.0, both.1);
            }
        });
    }
    let thread = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            for _ in 0..EACH {
                let mut both = shared.lock();
                both.0 += 1;
                both.1 += 1;
            }
        }
    });
    while let Some(task) = timeout(LONG, tasks.join_next()).await.expect("no task hangs") {
        task.unwrap();
    }
    thread.join().unwrap();
    assert_eq!(*shared.lock_async().await, (51 * EACH, 51 * EACH));
}

/// The same with a lock that other processes could share.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_and_threads_share_a_region() {
    const EACH: u64 = 100;
    let name = format!("/furwock-tokio-{}", std::process::id());
    // SAFETY: nobody else knows the name.
    let region = unsafe { ipc::Region::options().create(true).open(&name) }.unwrap();
    ipc::Region::remove(&name).unwrap();
    let shared = ipc::Mutex::open_or_create(&region, "both", [0_u64; 2]).unwrap();
    let shared = Arc::new(shared);
    let mut tasks = JoinSet::new();
    for _ in 0..20 {
        let shared = Arc::clone(&shared);
        tasks.spawn(async move {
            for _ in 0..EACH {
                let mut both = shared.lock_async().await.unwrap();
                both[0] += 1;
                yield_now().await; // the guard may go to another thread here
                both[1] += 1;
                assert_eq!(both[0], both[1]);
            }
        });
    }
    let thread = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            for _ in 0..EACH {
                let mut both = shared.lock().unwrap();
                both[0] += 1;
                both[1] += 1;
            }
        }
    });
    while let Some(task) = timeout(LONG, tasks.join_next()).await.expect("no task hangs") {
        task.unwrap();
    }
    thread.join().unwrap();
    let held = shared.lock_async().await.unwrap();
    assert_eq!(*held, [21 * EACH; 2]);
    assert!(timeout(SHORT, shared.lock_async()).await.is_err());
    drop(held);
    assert!(shared.try_lock().is_ok(), "a time-out keeps nothing");
}

#[tokio::test]
async fn a_time_out_keeps_nothing() {
    let mutex = Mutex::new(());
    let held = mutex.lock_async().await;
    assert!(timeout(SHORT, mutex.lock_async()).await.is_err());
    drop(held);
    assert!(mutex.try_lock().is_some());
    assert!(timeout(LONG, mutex.lock_async()).await.is_ok());
    assert!(!mutex.is_locked());
}

#[tokio::test]
async fn the_other_arm_of_a_select() {
    let (free, held) = (Mutex::new(1), Mutex::new(2));
    let guard = held.lock_async().await;
    let number = tokio::select! {
        number = held.lock_async() => *number,
        number = free.lock_async() => *number,
    };
    assert_eq!(number, 1);
    drop(guard);
    assert!(held.try_lock().is_some() && free.try_lock().is_some());
}

#[tokio::test]
async fn a_select_by_reference_holds_what_it_does_not_poll() {
    let mutex = Mutex::new(());
    let held = mutex.lock_async().await;
    let hung = async {
        let mut first = std::pin::pin!(mutex.lock_async());
        tokio::select! {
            _ = &mut first => unreachable!("it is held"),
            () = yield_now() => {
                drop(held); // to `first`, which nobody polls
                drop(mutex.lock_async().await);
            }
        }
    };
    assert!(timeout(SHORT, hung).await.is_err(), "as the documentation warns");
    assert!(mutex.try_lock().is_some(), "and the time-out has dropped both");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_that_are_aborted() {
    let mutex = Arc::new(Mutex::new(0));
    for round in 0..100 {
        let mut tasks = JoinSet::new();
        for _ in 0..20 {
            let mutex = Arc::clone(&mutex);
            tasks.spawn(async move {
                loop {
                    *mutex.lock_async().await += 1;
                    let _guard = mutex.lock_async().await;
                    yield_now().await;
                }
            });
        }
        for _ in 0..round % 10 {
            yield_now().await;
        }
        tasks.abort_all();
        while let Some(task) = tasks.join_next().await {
            assert!(task.unwrap_err().is_cancelled());
        }
        assert!(mutex.try_lock().is_some());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_other_locks() {
    let shared = Arc::new((RwLock::new(0), Semaphore::new(2), Event::manual(), AtomicU32::new(0)));
    let mut tasks = JoinSet::new();
    for i in 0..40 {
        let shared = Arc::clone(&shared);
        tasks.spawn(async move {
            let (sum, units, begin, inside) = &*shared;
            begin.wait_async().await;
            for n in 0..100 {
                if (n + i) % 8 == 0 {
                    *sum.write_async().await += 1;
                } else {
                    let before = sum.read_async().await;
                    let value = *before;
                    yield_now().await;
                    assert_eq!(value, *before);
                }
                let _permit = units.permit_async().await;
                assert!(inside.fetch_add(1, Ordering::Relaxed) < 2);
                yield_now().await;
                inside.fetch_sub(1, Ordering::Relaxed);
            }
        });
    }
    shared.2.set();
    while let Some(task) = timeout(LONG, tasks.join_next()).await.expect("no task hangs") {
        task.unwrap();
    }
    assert_eq!(*shared.0.read(), 40 * 100 / 8);
}

#[tokio::test]
async fn a_queue_between_a_thread_and_tasks() {
    const ITEMS: u32 = 2000;
    let shared = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let producer = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            for item in 0..ITEMS {
                shared.0.lock().push(item);
                shared.1.notify_one();
            }
        }
    });
    let mut tasks = JoinSet::new();
    for _ in 0..4 {
        let shared = Arc::clone(&shared);
        tasks.spawn(async move {
            let mut sum = 0;
            for _ in 0..ITEMS / 4 {
                let items = shared.0.lock_async().await;
                let mut items = shared.1.wait_while_async(items, |items| items.is_empty()).await;
                sum += items.pop().unwrap();
            }
            sum
        });
    }
    let mut sum = 0;
    while let Some(task) = timeout(LONG, tasks.join_next()).await.expect("no task hangs") {
        sum += task.unwrap();
    }
    producer.join().unwrap();
    assert_eq!(sum, ITEMS * (ITEMS - 1) / 2);
}
