// SPDX-License-Identifier: MIT
//! Deadlines and wait policies: `include/furwock/bits/deadline.h`, `include/furwock/wait.h`.

use core::ffi::{c_int, c_uint};

/// The C library's `struct timespec` of 64-bit Linux.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct timespec {
    /// Seconds.
    pub tv_sec: i64,
    /// Nanoseconds, from 0 to 999 999 999.
    pub tv_nsec: i64,
}

/// The clock of the calendar.
pub const CLOCK_REALTIME: c_int = 0;
/// The clock that cannot be set.
pub const CLOCK_MONOTONIC: c_int = 1;

/// A point in time on [`CLOCK_MONOTONIC`] or [`CLOCK_REALTIME`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct fw_deadline {
    /// When.
    pub at: timespec,
    /// On which clock.
    pub clock: c_int,
}

/// How a thread waits: one of the `FW_WAIT_...`.
pub type fw_wait_kind = c_uint;

/// The process default.
pub const FW_WAIT_DEFAULT: fw_wait_kind = 0;
/// Sleep in the kernel at once.
pub const FW_WAIT_BLOCK: fw_wait_kind = 1;
/// Spin for `spin_ns`, then sleep.
pub const FW_WAIT_SPIN_THEN_BLOCK: fw_wait_kind = 2;
/// Spin until granted.
pub const FW_WAIT_SPIN: fw_wait_kind = 3;
/// Spin, yielding the CPU between checks.
pub const FW_WAIT_YIELD: fw_wait_kind = 4;
/// Spin while the owner runs, then sleep.
pub const FW_WAIT_ADAPTIVE: fw_wait_kind = 5;

/// How a thread waits, and for how long it spins.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct fw_wait_policy {
    /// One of the `FW_WAIT_...`.
    pub kind: fw_wait_kind,
    /// Nanoseconds, at most [`FW_WAIT_SPIN_MAX_NS`].
    pub spin_ns: u32,
}

/// The longest budget for spinning.
pub const FW_WAIT_SPIN_MAX_NS: u32 = 1_000_000_000;

#[allow(missing_docs)] // the header documents each
extern "C" {
    pub fn fw_wait_set_default(policy: *const fw_wait_policy) -> c_int;
    pub fn fw_wait_get_default() -> fw_wait_policy;
    /// The C library's clock.
    pub fn clock_gettime(clock: c_int, now: *mut timespec) -> c_int;
}

/// Results of calls, as in `<errno.h>` of Linux on the two machines that furwock knows.
pub mod errno {
    use core::ffi::c_int;

    /// Try again.
    pub const EAGAIN: c_int = 11;
    /// No memory.
    pub const ENOMEM: c_int = 12;
    /// Held, or in use.
    pub const EBUSY: c_int = 16;
    /// An argument is wrong.
    pub const EINVAL: c_int = 22;
    /// The call would wait for its own thread.
    pub const EDEADLK: c_int = 35;
    /// More than the maximum.
    pub const EOVERFLOW: c_int = 75;
    /// The deadline has passed.
    pub const ETIMEDOUT: c_int = 110;
    /// The operation waits.
    pub const EINPROGRESS: c_int = 115;
}
