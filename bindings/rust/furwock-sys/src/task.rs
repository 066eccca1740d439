// SPDX-License-Identifier: MIT
//! Tasks, and waits without a thread: `include/furwock/await.h`.

use core::ffi::{c_int, c_uint, c_void};

use crate::{fw_cond, fw_deadline, fw_event, fw_latch, fw_mutex, fw_rwlock, fw_sem};

/// Who owns locks that were taken asynchronously; 0: none.
pub type fw_task = u32;

/// Where operations are delivered; only its address is used.
#[derive(Debug)]
pub enum fw_loop {}

/// How a loop waits for what other processes hold: one of the `FW_LOOP_...`.
pub type fw_loop_engine = c_uint;

/// The first of those below that works here.
pub const FW_LOOP_AUTO: fw_loop_engine = 0;
/// io_uring's futex operations.
pub const FW_LOOP_URING: fw_loop_engine = 1;
/// A helper thread.
pub const FW_LOOP_THREAD: fw_loop_engine = 2;

/// What [`fw_loop_create`] is told.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct fw_loop_options {
    /// One of the `FW_LOOP_...`.
    pub engine: fw_loop_engine,
    /// 0.
    pub reserved: u32,
}

/// An operation, all of it internal.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)]
pub struct fw_await {
    pub next_: *mut fw_await,
    pub prev_: *mut fw_await,
    pub object_: *const c_void,
    pub kept_: *mut c_void,
    pub urgency_: i32,
    pub is_operation_: u8,
    pub is_first_: u8,
    pub kind_: u8,
    pub generation_: u8,
    pub state_: u32,
    pub task_: fw_task,
    pub want_: u8,
    pub is_designated_: u8,
    pub starves_: u8,
    pub yields_: u8,
    pub result_: u16,
    pub timer_: u8,
    pub is_listed_: u8,
    pub loop_: *mut fw_loop,
    /// In C a union of functions.
    pub call_: *mut c_void,
    pub group_: *mut fw_await_group,
    pub aux_: *mut c_void,
    pub since_: u64,
    pub timer_child_: *mut fw_await,
    pub timer_next_: *mut fw_await,
    pub timer_prev_: *mut fw_await,
    /// In C a union of a time and an argument.
    pub more_: u64,
}

/// Operations of which one is to end.
#[repr(C)]
#[derive(Debug)]
pub struct fw_await_group {
    /// Internal.
    pub winner_: *mut fw_await,
}

/// Called by a loop at the end of an operation.
pub type fw_await_done = unsafe extern "C" fn(op: *mut fw_await, error: c_int);

/// Called by whoever grants an operation without a loop.
pub type fw_await_wake = unsafe extern "C" fn(arg: *mut c_void);

#[allow(missing_docs)] // the header documents each
extern "C" {
    pub fn fw_task_begin(task: *mut fw_task) -> c_int;
    pub fn fw_task_end(task: fw_task);
    pub fn fw_task_switch(task: fw_task) -> fw_task;
    pub fn fw_task_mutex_unlock(m: *mut fw_mutex, task: fw_task);
    pub fn fw_task_rwlock_rdunlock(l: *mut fw_rwlock, task: fw_task);
    pub fn fw_task_rwlock_wrunlock(l: *mut fw_rwlock, task: fw_task);
    pub fn fw_loop_create(r#loop: *mut *mut fw_loop, options: *const fw_loop_options) -> c_int;
    pub fn fw_loop_destroy(r#loop: *mut fw_loop) -> c_int;
    pub fn fw_loop_fd(r#loop: *mut fw_loop) -> c_int;
    pub fn fw_loop_run(r#loop: *mut fw_loop, most: c_uint) -> c_uint;
    pub fn fw_loop_wait(r#loop: *mut fw_loop, deadline: *const fw_deadline) -> c_int;
    pub fn fw_loop_post(op: *mut fw_await) -> c_int;
    pub fn fw_loop_late(r#loop: *mut fw_loop) -> c_uint;
    pub fn fw_await_late() -> u64;
    pub fn fw_await_init(
        op: *mut fw_await,
        r#loop: *mut fw_loop,
        task: fw_task,
        done: Option<fw_await_done>,
    );
    pub fn fw_await_init_waker(
        op: *mut fw_await,
        task: fw_task,
        wake: Option<fw_await_wake>,
        arg: *mut c_void,
    );
    pub fn fw_await_init_loop_waker(
        op: *mut fw_await,
        r#loop: *mut fw_loop,
        task: fw_task,
        wake: Option<fw_await_wake>,
        arg: *mut c_void,
    );
    pub fn fw_await_poll(op: *mut fw_await) -> c_int;
    pub fn fw_await_set_waker(
        op: *mut fw_await,
        wake: Option<fw_await_wake>,
        arg: *mut c_void,
        old: *mut *mut c_void,
    ) -> c_int;
    pub fn fw_await_cancel(op: *mut fw_await) -> bool;
    pub fn fw_await_drop(op: *mut fw_await) -> bool;
    pub fn fw_await_mutex(
        op: *mut fw_await,
        m: *mut fw_mutex,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_sem(op: *mut fw_await, s: *mut fw_sem, deadline: *const fw_deadline) -> c_int;
    pub fn fw_await_event(
        op: *mut fw_await,
        e: *mut fw_event,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_latch(
        op: *mut fw_await,
        l: *mut fw_latch,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_rdlock(
        op: *mut fw_await,
        l: *mut fw_rwlock,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_wrlock(
        op: *mut fw_await,
        l: *mut fw_rwlock,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_cond(
        op: *mut fw_await,
        c: *mut fw_cond,
        m: *mut fw_mutex,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_timer(op: *mut fw_await, deadline: *const fw_deadline) -> c_int;
    pub fn fw_await_group_init(group: *mut fw_await_group);
    pub fn fw_await_group_add(group: *mut fw_await_group, op: *mut fw_await);
    pub fn fw_await_group_winner(group: *const fw_await_group) -> *mut fw_await;
}
