// SPDX-License-Identifier: MIT
//! Locks between processes: `include/furwock/ipc/`.
//!
//! `furwock/ipc/atomic.h` is not here: it is of another library, in the place of libatomic.

use core::ffi::{c_char, c_int, c_uint, c_void};

mod objects;
mod task;

pub use objects::*;
pub use task::*;

/// A region; only its address is used.
#[derive(Debug)]
pub enum fw_region {}

/// Create it if there is none.
pub const FW_REGION_CREATE: c_uint = 1 << 16;
/// With `CREATE`: `EEXIST` if there is one.
pub const FW_REGION_EXCLUSIVE: c_uint = 1 << 17;
/// When created: owners record when they locked.
pub const FW_REGION_STAMP: c_uint = 1 << 18;
/// Accept any owner and any permissions of the file.
pub const FW_REGION_SHARED: c_uint = 1 << 19;
/// With `CREATE`: replace a stale region by a new one.
pub const FW_REGION_RENEW: c_uint = 1 << 20;

/// The most regions that a process can have open at a time.
pub const FW_REGION_MAX_OPEN: usize = 16;
/// The smallest region, in bytes.
pub const FW_REGION_MIN_SIZE: usize = 65536;
/// The longest name of an object, in bytes, without the 0 at its end.
pub const FW_REGION_NAME_MAX: usize = 39;

/// `fw_region_kind`: what an object in the directory is.
pub type fw_region_kind = c_uint;
/// The user's own data.
pub const FW_REGION_DATA: fw_region_kind = 1;
/// An [`fw_ipc_mutex`].
pub const FW_REGION_MUTEX: fw_region_kind = 2;
/// An [`fw_ipc_rwlock`].
pub const FW_REGION_RWLOCK: fw_region_kind = 3;
/// An [`fw_ipc_cond`].
pub const FW_REGION_COND: fw_region_kind = 4;
/// An [`fw_ipc_sem`].
pub const FW_REGION_SEM: fw_region_kind = 5;
/// An [`fw_ipc_permits`].
pub const FW_REGION_PERMITS: fw_region_kind = 6;
/// An [`fw_ipc_barrier`].
pub const FW_REGION_BARRIER: fw_region_kind = 7;
/// An [`fw_ipc_once`].
pub const FW_REGION_ONCE: fw_region_kind = 8;
/// An [`fw_ipc_journal`].
pub const FW_REGION_JOURNAL: fw_region_kind = 9;

/// Initialises a new object before others can find it.
pub type fw_region_init = unsafe extern "C" fn(object: *mut c_void, arg: *mut c_void) -> c_int;

extern "C" {
    /// Creates or joins a region by its name.
    pub fn fw_region_open(
        name: *const c_char,
        size: usize,
        flags: c_uint,
        region: *mut *mut fw_region,
    ) -> c_int;
    /// The same in an open file.
    pub fn fw_region_open_fd(
        fd: c_int,
        size: usize,
        flags: c_uint,
        region: *mut *mut fw_region,
    ) -> c_int;
    /// The same in a shared mapping of the caller's own.
    pub fn fw_region_adopt(
        memory: *mut c_void,
        size: usize,
        flags: c_uint,
        region: *mut *mut fw_region,
    ) -> c_int;
    /// Ends the use of a region by the process.
    pub fn fw_region_close(region: *mut fw_region) -> c_int;
    /// Gives back the calling thread's participant slot.
    pub fn fw_region_leave(region: *mut fw_region) -> c_int;
    /// Removes the name.
    pub fn fw_region_remove(name: *const c_char) -> c_int;
    /// Where it begins.
    pub fn fw_region_base(region: *const fw_region) -> *mut c_void;
    /// Its size in bytes.
    pub fn fw_region_size(region: *const fw_region) -> usize;
    /// The user who owned the file when it was opened.
    pub fn fw_region_owner(region: *const fw_region, owner: *mut u32) -> c_int;
    /// Finds the object of that name, or creates it.
    pub fn fw_region_object(
        region: *mut fw_region,
        name: *const c_char,
        kind: fw_region_kind,
        size: usize,
        flags: c_uint,
        object: *mut *mut c_void,
    ) -> c_int;
    /// The same, and `init` initialises a new object before others can find it.
    pub fn fw_region_object_init(
        region: *mut fw_region,
        name: *const c_char,
        kind: fw_region_kind,
        size: usize,
        flags: c_uint,
        init: Option<fw_region_init>,
        arg: *mut c_void,
        object: *mut *mut c_void,
    ) -> c_int;
    /// The mutex of that name.
    pub fn fw_region_mutex(
        region: *mut fw_region,
        name: *const c_char,
        flags: c_uint,
        m: *mut *mut fw_ipc_mutex,
    ) -> c_int;
    /// The read-write lock of that name.
    pub fn fw_region_rwlock(
        region: *mut fw_region,
        name: *const c_char,
        flags: c_uint,
        l: *mut *mut fw_ipc_rwlock,
    ) -> c_int;
    /// The condition variable of that name.
    pub fn fw_region_cond(
        region: *mut fw_region,
        name: *const c_char,
        flags: c_uint,
        c: *mut *mut fw_ipc_cond,
    ) -> c_int;
    /// The once of that name.
    pub fn fw_region_once(
        region: *mut fw_region,
        name: *const c_char,
        flags: c_uint,
        o: *mut *mut fw_ipc_once,
    ) -> c_int;
    /// The semaphore of that name.
    pub fn fw_region_sem(
        region: *mut fw_region,
        name: *const c_char,
        value: u32,
        max: u32,
        flags: c_uint,
        s: *mut *mut fw_ipc_sem,
    ) -> c_int;
    /// The permits of that name.
    pub fn fw_region_permits(
        region: *mut fw_region,
        name: *const c_char,
        n: u32,
        flags: c_uint,
        u: *mut *mut fw_ipc_permits,
    ) -> c_int;
    /// The barrier of that name.
    pub fn fw_region_barrier(
        region: *mut fw_region,
        name: *const c_char,
        parties: u32,
        mode: fw_ipc_barrier_mode,
        flags: c_uint,
        b: *mut *mut fw_ipc_barrier,
    ) -> c_int;
    /// The journal of that name.
    pub fn fw_region_journal(
        region: *mut fw_region,
        name: *const c_char,
        capacity: usize,
        flags: c_uint,
        j: *mut *mut fw_ipc_journal,
    ) -> c_int;
    /// A mutex that is made together with its journal.
    pub fn fw_region_mutex_with_journal(
        region: *mut fw_region,
        name: *const c_char,
        capacity: usize,
        flags: c_uint,
        m: *mut *mut fw_ipc_mutex,
        j: *mut *mut fw_ipc_journal,
    ) -> c_int;
    /// A read-write lock that is made together with its journal.
    pub fn fw_region_rwlock_with_journal(
        region: *mut fw_region,
        name: *const c_char,
        capacity: usize,
        flags: c_uint,
        l: *mut *mut fw_ipc_rwlock,
        j: *mut *mut fw_ipc_journal,
    ) -> c_int;
}
