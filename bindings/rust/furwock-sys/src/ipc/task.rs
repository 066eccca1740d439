// SPDX-License-Identifier: MIT
//! Waits for the locks of a region without a thread: `include/furwock/ipc/await.h`.

use core::ffi::c_int;

use super::{fw_ipc_cond, fw_ipc_mutex, fw_ipc_permits, fw_ipc_rwlock, fw_ipc_sem};
use crate::{fw_await, fw_deadline, fw_task};

#[allow(missing_docs)] // the header documents each
extern "C" {
    pub fn fw_await_ipc_mutex(
        op: *mut fw_await,
        m: *mut fw_ipc_mutex,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_task_ipc_mutex_unlock(m: *mut fw_ipc_mutex, task: fw_task) -> c_int;
    pub fn fw_task_ipc_mutex_consistent(m: *mut fw_ipc_mutex, task: fw_task) -> c_int;
    pub fn fw_await_ipc_sem(
        op: *mut fw_await,
        s: *mut fw_ipc_sem,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_ipc_permits(
        op: *mut fw_await,
        u: *mut fw_ipc_permits,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_ipc_permit(op: *const fw_await) -> u32;
    pub fn fw_task_ipc_permits_give(u: *mut fw_ipc_permits, permit: u32, task: fw_task) -> c_int;
    pub fn fw_task_ipc_permits_post(u: *mut fw_ipc_permits, task: fw_task) -> c_int;
    pub fn fw_await_ipc_rdlock(
        op: *mut fw_await,
        l: *mut fw_ipc_rwlock,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_await_ipc_wrlock(
        op: *mut fw_await,
        l: *mut fw_ipc_rwlock,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_task_ipc_rwlock_rdunlock(l: *mut fw_ipc_rwlock, task: fw_task) -> c_int;
    pub fn fw_task_ipc_rwlock_wrunlock(l: *mut fw_ipc_rwlock, task: fw_task) -> c_int;
    pub fn fw_task_ipc_rwlock_consistent(l: *mut fw_ipc_rwlock, task: fw_task) -> c_int;
    pub fn fw_await_ipc_cond(
        op: *mut fw_await,
        c: *mut fw_ipc_cond,
        m: *mut fw_ipc_mutex,
        deadline: *const fw_deadline,
    ) -> c_int;
}
