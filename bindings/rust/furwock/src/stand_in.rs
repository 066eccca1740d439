// SPDX-License-Identifier: MIT
//! For Miri, which cannot call C: simple locks in place of those that `Mutex`, `Condvar`, `Once`,
//! `OnceLock` and `Latch` stand on, so that what is written in Rust can be checked.  Never in a
//! real build.

use core::ffi::{c_int, c_void};
use core::hint::spin_loop;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

pub(crate) use furwock_sys::*;

mod tasks;
#[allow(unused_imports)] // without the feature std there are no futures
pub(crate) use tasks::{
    fw_await, fw_await_cancel, fw_await_cond, fw_await_drop, fw_await_event, fw_await_init_waker,
    fw_await_latch, fw_await_mutex, fw_await_poll, fw_await_rdlock, fw_await_sem,
    fw_await_set_waker, fw_await_wrlock, fw_task, fw_task_begin, fw_task_end, fw_task_mutex_unlock,
    fw_task_rwlock_rdunlock, fw_task_rwlock_wrunlock, notify_tasks, release,
};

/// Has the deadline passed?
unsafe fn has_passed(deadline: *const fw_deadline) -> bool {
    // SAFETY: null, or a deadline of the caller's.
    let Some(deadline) = (unsafe { deadline.as_ref() }) else { return false };
    let mut now = timespec::default();
    // SAFETY: a timespec of ours.
    unsafe { clock_gettime(deadline.clock, &mut now) };
    (now.tv_sec, now.tv_nsec) >= (deadline.at.tv_sec, deadline.at.tv_nsec)
}

unsafe fn word<'a>(m: *mut fw_mutex) -> &'a AtomicU64 {
    // SAFETY: the caller's mutex, all of whose accesses are these.
    unsafe { AtomicU64::from_ptr(core::ptr::addr_of_mut!((*m).state_)) }
}

pub(crate) unsafe fn fw_mutex_trylock(m: *mut fw_mutex) -> c_int {
    // SAFETY: the caller's mutex.
    let word = unsafe { word(m) };
    match word.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed) {
        Ok(_) => 0,
        Err(_) => errno::EBUSY,
    }
}

pub(crate) unsafe fn fw_mutex_timedlock(m: *mut fw_mutex, deadline: *const fw_deadline) -> c_int {
    // SAFETY: the caller's mutex and deadline.
    unsafe {
        while fw_mutex_trylock(m) != 0 {
            if has_passed(deadline) {
                return errno::ETIMEDOUT;
            }
            spin_loop();
        }
    }
    0
}

pub(crate) unsafe fn fw_mutex_lock(m: *mut fw_mutex) {
    // SAFETY: the caller's mutex; no deadline.
    unsafe { fw_mutex_timedlock(m, core::ptr::null()) };
}

/// Some number, if it is held.
pub(crate) unsafe fn fw_mutex_timedawait(
    m: *mut fw_mutex,
    predicate: Option<fw_predicate>,
    arg: *mut c_void,
    deadline: *const fw_deadline,
) -> c_int {
    // SAFETY: the caller's promises.
    unsafe {
        while !predicate.expect("a predicate")(arg) {
            if has_passed(deadline) {
                return errno::ETIMEDOUT;
            }
            fw_mutex_unlock(m);
            std::thread::yield_now();
            fw_mutex_lock(m);
        }
        0
    }
}

pub(crate) unsafe fn fw_mutex_owner(m: *mut fw_mutex) -> c_int {
    // SAFETY: the caller's mutex.
    unsafe { word(m) }.load(Ordering::Relaxed) as c_int
}

pub(crate) unsafe fn fw_mutex_unlock(m: *mut fw_mutex) {
    // SAFETY: the caller's mutex, which a thread holds.
    unsafe { release(m, 1) }
}

pub(crate) unsafe fn fw_mutex_unlock_fair(m: *mut fw_mutex) {
    // SAFETY: the caller's mutex.
    unsafe { fw_mutex_unlock(m) }
}

unsafe fn half<'a>(word: *mut u32) -> &'a AtomicU32 {
    // SAFETY: a word of the caller's object, all of whose accesses are these.
    unsafe { AtomicU32::from_ptr(word) }
}

/// `waiters_` counts those that wait, `seq_` the wakes that are left for them.
pub(crate) unsafe fn fw_cond_timedwait(
    c: *mut fw_cond,
    m: *mut fw_mutex,
    deadline: *const fw_deadline,
) -> c_int {
    // SAFETY: the caller's objects; it holds the mutex.
    unsafe {
        let waiters = half(core::ptr::addr_of_mut!((*c).waiters_));
        let wakes = half(core::ptr::addr_of_mut!((*c).seq_));
        let less = |n: u32| n.checked_sub(1);
        let take = || wakes.fetch_update(Ordering::Acquire, Ordering::Relaxed, less).is_ok();
        waiters.fetch_add(1, Ordering::Relaxed);
        fw_mutex_unlock(m);
        let mut result = 0;
        while !take() {
            if has_passed(deadline)
                && waiters.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
            {
                result = errno::ETIMEDOUT;
                break;
            }
            spin_loop();
        }
        fw_mutex_lock(m);
        result
    }
}

pub(crate) unsafe fn fw_cond_signal(c: *mut fw_cond) -> u32 {
    // SAFETY: the caller's object.
    unsafe {
        match notify_tasks(c, 1) {
            0 => wake(c, |n| n.checked_sub(1), 1),
            woken => woken,
        }
    }
}

pub(crate) unsafe fn fw_cond_broadcast(c: *mut fw_cond) -> u32 {
    // SAFETY: the caller's object.
    unsafe { notify_tasks(c, u32::MAX) + wake(c, |n| (n != 0).then_some(0), u32::MAX) }
}

unsafe fn wake(c: *mut fw_cond, less: impl FnMut(u32) -> Option<u32>, most: u32) -> u32 {
    // SAFETY: the caller's object.
    let (waiters, wakes) = unsafe {
        (half(core::ptr::addr_of_mut!((*c).waiters_)), half(core::ptr::addr_of_mut!((*c).seq_)))
    };
    let woken = waiters.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    let woken = woken.map_or(0, |waiting| waiting.min(most));
    wakes.fetch_add(woken, Ordering::Release);
    woken
}

/// 0: new, 1: running, 2: done.
pub(crate) unsafe fn fw_once_begin_(o: *mut fw_once) -> bool {
    // SAFETY: the caller's object.
    let word = unsafe { half(core::ptr::addr_of_mut!((*o).state_)) };
    loop {
        match word.compare_exchange(0, 1, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => return true,
            Err(2) => return false,
            Err(_) => spin_loop(),
        }
    }
}

pub(crate) unsafe fn fw_once_end_(o: *mut fw_once, done: bool) {
    // SAFETY: the caller's object.
    let word = unsafe { half(core::ptr::addr_of_mut!((*o).state_)) };
    word.store(if done { 2 } else { 0 }, Ordering::Release);
}

pub(crate) unsafe fn fw_latch_count_down(l: *mut fw_latch, n: u32) {
    // SAFETY: the caller's object.
    let word = unsafe { half(core::ptr::addr_of_mut!((*l).state_)) };
    assert!(word.fetch_sub(n, Ordering::AcqRel) >= n, "not below zero");
}

pub(crate) unsafe fn fw_latch_trywait(l: *mut fw_latch) -> c_int {
    // SAFETY: the caller's object.
    let word = unsafe { half(core::ptr::addr_of_mut!((*l).state_)) };
    match word.load(Ordering::Acquire) {
        0 => 0,
        _ => errno::EAGAIN,
    }
}

pub(crate) unsafe fn fw_latch_wait(l: *mut fw_latch) {
    // SAFETY: the caller's object.
    while unsafe { fw_latch_trywait(l) } != 0 {
        spin_loop();
    }
}

pub(crate) unsafe fn fw_latch_arrive_and_wait(l: *mut fw_latch, n: u32) {
    // SAFETY: the caller's object.
    unsafe {
        fw_latch_count_down(l, n);
        fw_latch_wait(l);
    }
}
