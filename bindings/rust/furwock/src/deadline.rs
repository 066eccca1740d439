// SPDX-License-Identifier: MIT
//! Deadlines as C has them, of time-outs as Rust has them.

use core::time::Duration;

use crate::sys;

/// Until when a call waits at most; `None`: it waits as long as it takes.
#[derive(Clone, Copy)]
pub(crate) struct Deadline(Option<sys::fw_deadline>);

impl Deadline {
    /// As long as it takes.
    pub(crate) const NEVER: Self = Self(None);

    /// From now on.  A time-out that no clock can reach is none.
    pub(crate) fn after(timeout: Duration) -> Self {
        let mut now = sys::timespec::default();
        // SAFETY: `now` is a timespec of ours.
        let failed = unsafe { sys::clock_gettime(sys::CLOCK_MONOTONIC, &mut now) };
        debug_assert_eq!(failed, 0, "every Linux has CLOCK_MONOTONIC");
        Self(later(now, timeout).map(|at| sys::fw_deadline { at, clock: sys::CLOCK_MONOTONIC }))
    }

    /// At that moment.
    #[cfg(feature = "std")]
    pub(crate) fn at(instant: std::time::Instant) -> Self {
        Self::after(instant.saturating_duration_since(std::time::Instant::now()))
    }

    pub(crate) fn as_ptr(&self) -> *const sys::fw_deadline {
        self.0.as_ref().map_or(core::ptr::null(), |deadline| deadline)
    }
}

const NANOS: i64 = 1_000_000_000;

fn later(now: sys::timespec, timeout: Duration) -> Option<sys::timespec> {
    let seconds = now.tv_sec.checked_add(i64::try_from(timeout.as_secs()).ok()?)?;
    let nanos = now.tv_nsec + i64::from(timeout.subsec_nanos());
    let tv_sec = seconds.checked_add(nanos / NANOS)?;
    Some(sys::timespec { tv_sec, tv_nsec: nanos % NANOS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_carry_and_overflow_to_never() {
        let now = sys::timespec { tv_sec: 5, tv_nsec: 999_999_999 };
        let soon = later(now, Duration::new(1, 1)).unwrap();
        assert_eq!(soon, sys::timespec { tv_sec: 7, tv_nsec: 0 });
        assert_eq!(later(now, Duration::ZERO), Some(now));
        assert_eq!(later(now, Duration::MAX), None);
        assert_eq!(later(now, Duration::from_secs(i64::MAX as u64)), None);
        assert!(Deadline::after(Duration::MAX).as_ptr().is_null());
    }
}
