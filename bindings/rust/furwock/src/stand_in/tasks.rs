// SPDX-License-Identifier: MIT
//! Asynchronous waits: one list of all that wait, in the order in which they came.

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::Mutex;
use std::vec::Vec;

use super::{errno, fw_cond, fw_deadline, fw_event, fw_latch, fw_mutex, fw_rwlock, fw_sem, word};

#[allow(non_camel_case_types)]
pub(crate) type fw_task = u32;
type Wake = Option<unsafe extern "C" fn(*mut c_void)>;

#[allow(non_camel_case_types)]
pub(crate) struct fw_await {
    state: AtomicI32,
    task: fw_task,
    wake: Wake,
    arg: *mut c_void,
    /// What it waits for now.
    object: *mut c_void,
    /// That of a condition, which it waits for next.
    mutex: *mut fw_mutex,
}

struct Waiting(*mut fw_await);

// SAFETY: the list's lock protects what it points to.
unsafe impl Send for Waiting {}

static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());
static TASKS: AtomicU32 = AtomicU32::new(0);
static LIVE: AtomicU32 = AtomicU32::new(0);

pub(crate) unsafe fn fw_task_begin(task: *mut fw_task) -> c_int {
    LIVE.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller's variable.
    unsafe { *task = TASKS.fetch_add(1, Ordering::Relaxed) + 1 };
    0
}

pub(crate) unsafe fn fw_task_end(_task: fw_task) {
    assert_ne!(LIVE.fetch_sub(1, Ordering::Relaxed), 0);
}

pub(crate) unsafe fn fw_await_init_waker(
    op: *mut fw_await,
    task: fw_task,
    wake: Wake,
    arg: *mut c_void,
) {
    let state = AtomicI32::new(0);
    let (object, mutex) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the caller's memory.
    unsafe { op.write(fw_await { state, task, wake, arg, object, mutex }) };
}

fn held_by(task: fw_task) -> u64 {
    u64::from(task) << 8 | 1
}

pub(crate) unsafe fn fw_await_mutex(
    op: *mut fw_await,
    m: *mut fw_mutex,
    _deadline: *const fw_deadline,
) -> c_int {
    let mut list = WAITING.lock().unwrap();
    // SAFETY: the caller's operation and mutex.
    unsafe {
        let mine = held_by((*op).task);
        if word(m).compare_exchange(0, mine, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return 0;
        }
        (*op).object = m.cast();
        (*op).state.store(errno::EINPROGRESS, Ordering::Relaxed);
    }
    list.push(Waiting(op));
    errno::EINPROGRESS
}

/// Takes the first that waits for that object out of the list.
fn first_of(list: &mut Vec<Waiting>, object: *mut c_void) -> Option<*mut fw_await> {
    // SAFETY: what is in the list lives.
    let index = list.iter().position(|entry| unsafe { (*entry.0).object } == object)?;
    Some(list.remove(index).0)
}

/// Grants it; what is to be woken after the list was left.
unsafe fn grant(op: *mut fw_await) -> (Wake, *mut c_void) {
    // SAFETY: it was in the list, whose lock the caller has.
    unsafe {
        let told = ((*op).wake, (*op).arg);
        (*op).state.store(0, Ordering::Release);
        told
    }
}

unsafe fn tell((wake, arg): (Wake, *mut c_void)) {
    if let Some(wake) = wake {
        // SAFETY: given with it, and used once.
        unsafe { wake(arg) }
    }
}

/// Releases a mutex whose word is `held`: hands it over to the first task, if one waits.
pub(crate) unsafe fn release(m: *mut fw_mutex, held: u64) {
    let mut list = WAITING.lock().unwrap();
    let Some(op) = first_of(&mut list, m.cast()) else {
        // SAFETY: the caller's mutex.
        let was = unsafe { word(m) }.swap(0, Ordering::Release);
        assert_eq!(was, held, "it was held by the caller");
        return;
    };
    // SAFETY: the caller's mutex; the operation was in the list.
    let told = unsafe {
        let was = word(m).swap(held_by((*op).task), Ordering::AcqRel);
        assert_eq!(was, held, "it was held by the caller");
        grant(op)
    };
    drop(list);
    // SAFETY: granted above.
    unsafe { tell(told) }
}

pub(crate) unsafe fn fw_task_mutex_unlock(m: *mut fw_mutex, task: fw_task) {
    // SAFETY: the caller's mutex.
    unsafe { release(m, held_by(task)) }
}

pub(crate) unsafe fn fw_await_cond(
    op: *mut fw_await,
    c: *mut fw_cond,
    m: *mut fw_mutex,
    _deadline: *const fw_deadline,
) -> c_int {
    // SAFETY: the caller's operation and objects; its task holds the mutex.
    unsafe {
        (*op).object = c.cast();
        (*op).mutex = m;
        (*op).state.store(errno::EINPROGRESS, Ordering::Relaxed);
        WAITING.lock().unwrap().push(Waiting(op));
        release(m, held_by((*op).task));
    }
    errno::EINPROGRESS
}

/// Moves up to `most` tasks that wait for the condition to its mutex; how many.
pub(crate) unsafe fn notify_tasks(c: *mut fw_cond, most: u32) -> u32 {
    let mut woken = 0;
    while woken < most {
        let mut list = WAITING.lock().unwrap();
        let Some(op) = first_of(&mut list, c.cast()) else { break };
        woken += 1;
        // SAFETY: it was in the list; its mutex lives as long.
        let told = unsafe {
            let m = (*op).mutex;
            let mine = held_by((*op).task);
            if word(m).compare_exchange(0, mine, Ordering::Acquire, Ordering::Relaxed).is_err() {
                (*op).object = m.cast();
                list.push(Waiting(op));
                continue;
            }
            grant(op)
        };
        drop(list);
        // SAFETY: granted above.
        unsafe { tell(told) }
    }
    woken
}

pub(crate) unsafe fn fw_await_cancel(op: *mut fw_await) -> bool {
    let mut list = WAITING.lock().unwrap();
    let Some(index) = list.iter().position(|entry| entry.0 == op) else { return false };
    list.remove(index);
    // SAFETY: it was in the list.
    let (cond, is_notified) = unsafe { ((*op).mutex, (*op).object == (*op).mutex.cast()) };
    assert!(cond.is_null() || !is_notified, "this stand-in passes no notification on");
    true
}

pub(crate) unsafe fn fw_await_poll(op: *mut fw_await) -> c_int {
    // SAFETY: the caller's operation.
    unsafe { (*op).state.load(Ordering::Acquire) }
}

pub(crate) unsafe fn fw_await_set_waker(
    op: *mut fw_await,
    wake: Wake,
    arg: *mut c_void,
    old: *mut *mut c_void,
) -> c_int {
    let _list = WAITING.lock().unwrap();
    // SAFETY: the caller's operation.
    unsafe {
        let state = fw_await_poll(op);
        if state == errno::EINPROGRESS {
            *old = ptr::replace(ptr::addr_of_mut!((*op).arg), arg);
            (*op).wake = wake;
        }
        state
    }
}

pub(crate) unsafe fn fw_await_drop(op: *mut fw_await) -> bool {
    // SAFETY: the caller's operation, of a mutex.
    unsafe {
        let is_over = fw_await_cancel(op);
        if !is_over {
            release((*op).object.cast(), held_by((*op).task));
        }
        is_over
    }
}

/// Not in the tests that Miri runs.
macro_rules! absent {
    ($($name:ident($($type:ty),*) $(-> $result:ty)?;)*) => {
        $(
            pub(crate) unsafe fn $name($(_: $type),*) $(-> $result)? {
                unimplemented!(stringify!($name))
            }
        )*
    };
}

absent! {
    fw_await_sem(*mut fw_await, *mut fw_sem, *const fw_deadline) -> c_int;
    fw_await_event(*mut fw_await, *mut fw_event, *const fw_deadline) -> c_int;
    fw_await_latch(*mut fw_await, *mut fw_latch, *const fw_deadline) -> c_int;
    fw_await_rdlock(*mut fw_await, *mut fw_rwlock, *const fw_deadline) -> c_int;
    fw_await_wrlock(*mut fw_await, *mut fw_rwlock, *const fw_deadline) -> c_int;
    fw_task_rwlock_rdunlock(*mut fw_rwlock, fw_task);
    fw_task_rwlock_wrunlock(*mut fw_rwlock, fw_task);
}
