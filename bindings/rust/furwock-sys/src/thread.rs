// SPDX-License-Identifier: MIT
//! Locks for the threads of one process.

use core::ffi::c_int;

use crate::fw_deadline;

/// `include/furwock/mutex.h`: all zeroes when free.
#[repr(C)]
#[derive(Debug)]
pub struct fw_mutex {
    /// Internal.
    pub state_: u64,
}

/// A free mutex.
pub const FW_MUTEX_INIT: fw_mutex = fw_mutex { state_: 0 };

#[allow(missing_docs)] // the header of the same name documents each
extern "C" {
    pub fn fw_mutex_init(m: *mut fw_mutex);
    pub fn fw_mutex_trylock(m: *mut fw_mutex) -> c_int;
    pub fn fw_mutex_lock(m: *mut fw_mutex);
    pub fn fw_mutex_timedlock(m: *mut fw_mutex, deadline: *const fw_deadline) -> c_int;
    pub fn fw_mutex_unlock(m: *mut fw_mutex);
    pub fn fw_mutex_unlock_fair(m: *mut fw_mutex);
    pub fn fw_mutex_owner(m: *const fw_mutex) -> c_int;
    pub fn fw_mutex_is_held_by_me(m: *const fw_mutex) -> bool;
}
