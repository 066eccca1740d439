// SPDX-License-Identifier: MIT
//! One-time initialisation.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use furwock::{Latch, Once, OnceLock, OnceState};

#[test]
fn one_thread_runs_it_and_all_see_it() {
    let (once, runs, start) = (Once::new(), AtomicUsize::new(0), Latch::new(4));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                start.arrive_and_wait(1);
                once.call_once(|| {
                    assert_eq!(once.state(), OnceState::InProgress);
                    runs.fetch_add(1, Ordering::Relaxed);
                });
                assert_eq!(runs.load(Ordering::Relaxed), 1);
            });
        }
    });
    assert!(once.is_completed() && once.state().done());
}

#[test]
fn a_panic_poisons_it_until_it_is_forced() {
    let once = Once::new();
    assert_eq!(once.state(), OnceState::New);
    let panics = |once: &Once| {
        let call = || once.call_once(|| panic!("on purpose: it poisons"));
        catch_unwind(AssertUnwindSafe(call)).is_err()
    };
    assert!(panics(&once));
    assert!(once.state().poisoned());
    let result = catch_unwind(AssertUnwindSafe(|| once.call_once(|| unreachable!())));
    let message = *result.unwrap_err().downcast::<&str>().unwrap();
    assert!(message.contains("poisoned"), "{message}");
    // One that panics as well leaves it poisoned.
    let forced = catch_unwind(AssertUnwindSafe(|| {
        once.call_once_force(|state| {
            assert!(state.poisoned());
            panic!("on purpose: poisoned again");
        });
    }));
    assert!(forced.is_err() && once.state().poisoned());
    once.call_once_force(|state| assert!(state.poisoned()));
    assert!(once.state().done());
    once.call_once(|| unreachable!());
}

#[test]
fn a_waiter_goes_on_with_what_a_panic_left() {
    let (once, inside) = (Once::new(), Latch::new(1));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let call = || {
                once.call_once(|| {
                    inside.count_down(1);
                    panic!("on purpose: another thread waits");
                });
            };
            assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
        });
        inside.wait();
        let mut was_poisoned = false;
        once.call_once_force(|state| was_poisoned = state.poisoned());
        assert!(was_poisoned);
    });
}

#[test]
fn a_value_is_made_once_and_dropped_once() {
    let value = Arc::new(());
    let lock = OnceLock::new();
    assert!(lock.get().is_none());
    assert_eq!(lock.get_or_try_init(|| Err("not yet")), Err("not yet"));
    assert!(catch_unwind(AssertUnwindSafe(|| lock.get_or_init(|| panic!("on purpose")))).is_err());
    assert!(lock.get().is_none());
    assert!(lock.set(value.clone()).is_ok());
    assert!(lock.set(value.clone()).is_err(), "there is one");
    assert_eq!(Arc::strong_count(&value), 2);
    drop(lock);
    assert_eq!(Arc::strong_count(&value), 1);

    let mut lock = OnceLock::from(value.clone());
    assert!(lock.get_mut().is_some());
    assert!(lock.take().is_some() && lock.take().is_none());
    assert_eq!(Arc::strong_count(&value), 1);
    assert!(Arc::ptr_eq(lock.get_or_init(|| value.clone()), &value));
    assert!(lock.into_inner().is_some());
    assert!(OnceLock::<Arc<()>>::new().into_inner().is_none());
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn threads_agree_on_a_value() {
    static VALUE: OnceLock<usize> = OnceLock::new();
    let start = Latch::new(4);
    let seen: Vec<usize> = std::thread::scope(|scope| {
        let make = |n: usize| {
            let start = &start;
            scope.spawn(move || {
                start.arrive_and_wait(1);
                *VALUE.get_or_init(|| n)
            })
        };
        let threads: Vec<_> = (0..4).map(make).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(seen.iter().all(|&n| Some(&n) == VALUE.get()));
}
