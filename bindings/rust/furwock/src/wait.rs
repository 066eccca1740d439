// SPDX-License-Identifier: MIT
//! How threads wait.

use core::time::Duration;

use crate::sys;

/// How a thread waits for a lock that another thread holds.
///
/// Spin budgets are at most one second, in whole nanoseconds.
///
/// ```
/// use furwock::WaitPolicy;
///
/// let before = WaitPolicy::default_of_process();
/// WaitPolicy::Block.set_default();
/// assert_eq!(WaitPolicy::default_of_process(), WaitPolicy::Block);
/// before.set_default();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitPolicy {
    /// Sleep in the kernel at once.
    Block,
    /// Spin for that long, then sleep.
    SpinThenBlock(Duration),
    /// Spin until granted; never sleep.
    Spin,
    /// Spin, yielding the CPU between checks; never sleep.
    Yield,
    /// Spin while the owner runs, then sleep; where that is not known, as `SpinThenBlock`.
    Adaptive(Duration),
}

impl WaitPolicy {
    /// What all calls of the process use from now on.  Safe at any time, in any thread.
    ///
    /// # Panics
    ///
    /// If a budget is above one second.
    pub fn set_default(self) {
        // SAFETY: a policy of ours.
        let result = unsafe { sys::fw_wait_set_default(&self.for_c()) };
        assert_eq!(result, 0, "a spin budget is at most one second: {self:?}");
    }

    /// The policy that calls use now.
    #[must_use]
    pub fn default_of_process() -> Self {
        // SAFETY: no arguments.
        let now = unsafe { sys::fw_wait_get_default() };
        let budget = Duration::from_nanos(u64::from(now.spin_ns));
        match now.kind {
            sys::FW_WAIT_BLOCK => Self::Block,
            sys::FW_WAIT_SPIN_THEN_BLOCK => Self::SpinThenBlock(budget),
            sys::FW_WAIT_SPIN => Self::Spin,
            sys::FW_WAIT_YIELD => Self::Yield,
            _ => Self::Adaptive(budget),
        }
    }

    /// Makes the default of the process what it was at first.
    pub fn restore_default() {
        // SAFETY: a policy of ours.
        let result = unsafe { sys::fw_wait_set_default(&sys::fw_wait_policy::default()) };
        debug_assert_eq!(result, 0, "FW_WAIT_DEFAULT is always valid");
    }

    fn for_c(self) -> sys::fw_wait_policy {
        let (kind, budget) = match self {
            Self::Block => (sys::FW_WAIT_BLOCK, Duration::ZERO),
            Self::SpinThenBlock(budget) => (sys::FW_WAIT_SPIN_THEN_BLOCK, budget),
            Self::Spin => (sys::FW_WAIT_SPIN, Duration::ZERO),
            Self::Yield => (sys::FW_WAIT_YIELD, Duration::ZERO),
            Self::Adaptive(budget) => (sys::FW_WAIT_ADAPTIVE, budget),
        };
        // What does not fit is above the maximum, and refused.
        let spin_ns = u32::try_from(budget.as_nanos()).unwrap_or(u32::MAX);
        sys::fw_wait_policy { kind, spin_ns }
    }
}
