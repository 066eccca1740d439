// SPDX-License-Identifier: MIT
//! What the benchmarks share.

use std::time::Duration;

use criterion::Criterion;

/// Short runs: what is quoted are ratios of many rounds (the program `ratios`), in which all rivals
/// are measured in turn.
pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(250))
        .without_plots()
}
