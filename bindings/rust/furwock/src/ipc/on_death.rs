// SPDX-License-Identifier: MIT
//! Repair functions, which a process registers for a lock.

use std::ffi::{c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};

use furwock_sys::ipc as sys;

use super::error::{errno, Death};

/// A registered repair, without its types.
pub(super) type Repair = dyn Fn(&Death) -> bool + Send + Sync;

/// What C calls, and its argument.  Another thread may be in an old repair function when a new one
/// is registered, and a copy of the region's handle may outlive this one; so none is ever freed.
pub(super) fn leaked(repair: Box<Repair>) -> (sys::fw_ipc_repair, *mut c_void) {
    let argument: &'static mut Box<Repair> = Box::leak(Box::new(repair));
    (call, (argument as *mut Box<Repair>).cast())
}

unsafe extern "C" fn call(arg: *mut c_void, death: *const sys::fw_ipc_death) -> c_int {
    // SAFETY: what `leaked` has made, and the death that C passes.
    let (repair, death) = unsafe { (&*arg.cast::<Box<Repair>>(), Death::from(*death)) };
    // A panic cannot pass through C; the lock call then reports the death to its caller.
    match catch_unwind(AssertUnwindSafe(|| repair(&death))) {
        Ok(true) => 0,
        _ => errno::EOWNERDEAD,
    }
}
