// SPDX-License-Identifier: MIT
//! Futures that are dropped in any moment, beside others that must not notice.

use std::future::Future;
use std::pin::{pin, Pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;

use furwock::future::LockAsync;
use furwock::Mutex;

use crate::executor::{run, yield_now};

const ROUNDS: u64 = if cfg!(miri) { 8 } else { 3000 };

/// The future, if it ends within that many polls of the task.
struct Within<F> {
    future: Option<Pin<Box<F>>>,
    polls: u64,
}

impl<F: Future> Future for Within<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = self.future.as_mut().expect("polled once after its end").as_mut().poll(cx);
        if let Poll::Ready(value) = polled {
            return Poll::Ready(Some(value));
        }
        if self.polls == 0 {
            self.future = None;
            return Poll::Ready(None);
        }
        self.polls -= 1;
        cx.waker().wake_by_ref(); // it is polled again before it is granted
        Poll::Pending
    }
}

fn within<F: Future>(polls: u64, future: F) -> Within<F> {
    Within { future: Some(Box::pin(future)), polls }
}

#[test]
fn locks_are_neither_kept_nor_lost() {
    let mutexes: Arc<Vec<_>> = Arc::new((0..3).map(|_| Mutex::new(0_u64)).collect());
    let stopped = Arc::new(AtomicBool::new(false));
    let tasks = (0..12_u64).map(|i| {
        let mutexes = Arc::clone(&mutexes);
        Box::pin(async move {
            let mut taken = 0;
            let mut random = i + 1;
            while taken < ROUNDS {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mutex = &mutexes[(random >> 33) as usize % mutexes.len()];
                let guard = match (random >> 40) % 4 {
                    0 => Some(mutex.lock_async().await),
                    n => within(n - 1, mutex.lock_async()).await,
                };
                let Some(mut guard) = guard else { continue };
                let value = *guard;
                if random >> 50 & 3 == 0 {
                    yield_now().await;
                }
                *guard = value + 1;
                taken += 1;
            }
        }) as _
    });
    let tasks = tasks.collect();
    let by_threads = thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut taken = 0;
                    while !stopped.load(Ordering::Relaxed) {
                        for mutex in mutexes.iter() {
                            *mutex.lock() += 1;
                            taken += 1;
                        }
                        thread::yield_now();
                    }
                    taken
                })
            })
            .collect();
        run(2, tasks);
        stopped.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>()
    });
    assert!(mutexes.iter().all(|mutex| !mutex.is_locked()));
    assert_eq!(mutexes.iter().map(|mutex| *mutex.lock()).sum::<u64>(), 12 * ROUNDS + by_threads);
}

/// Tokens go round: one lost notification, and the tasks hang.
#[cfg(not(miri))] // the stand-in cannot pass a notification on
#[test]
fn notifications_are_not_lost() {
    let shared = Arc::new((Mutex::new(0_u64), furwock::Condvar::new()));
    let takers = (0..8_u64).map(|i| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            let (tokens, some) = &*shared;
            let mut taken = 0;
            while taken < ROUNDS / 4 {
                let mut guard = tokens.lock_async().await;
                if *guard == 0 {
                    match within((i + taken) % 4, some.wait_async(guard)).await {
                        Some(again) => guard = again,
                        None => continue,
                    }
                }
                if *guard > 0 {
                    *guard -= 1;
                    taken += 1;
                }
            }
        }) as _
    });
    let takers = takers.collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            let (tokens, some) = &*shared;
            for _ in 0..8 * (ROUNDS / 4) {
                *tokens.lock() += 1;
                some.notify_one();
            }
        });
        run(2, takers);
    });
    assert_eq!(*shared.0.lock(), 0);
}

/// A runtime polls by many wakers, and drops in another thread than it polled.
#[test]
fn every_poll_with_another_waker() {
    let mutex = Arc::new(Mutex::new(0_u64));
    let tasks = (0..6).map(|_| {
        let mutex = Arc::clone(&mutex);
        Box::pin(async move {
            for _ in 0..ROUNDS / 2 {
                let mut future = pin!(mutex.lock_async());
                let guard = std::future::poll_fn(|cx| {
                    let waker = Arc::new(Wrapped(cx.waker().clone())).into();
                    future.as_mut().poll(&mut Context::from_waker(&waker))
                });
                let mut guard = guard.await;
                *guard += 1;
                yield_now().await;
                drop(guard);
            }
        }) as _
    });
    run(2, tasks.collect());
    assert_eq!(*mutex.lock(), 6 * (ROUNDS / 2));
}

struct Wrapped(std::task::Waker);

impl std::task::Wake for Wrapped {
    fn wake(self: Arc<Self>) {
        self.0.wake_by_ref();
    }
}
