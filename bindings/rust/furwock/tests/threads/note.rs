// SPDX-License-Identifier: MIT
//! Requests to stop.

use std::panic::catch_unwind;
use std::time::Duration;

use furwock::{Condvar, Event, Latch, Mutex, Note, Semaphore};

use crate::LONG;

const SHORT: Duration = Duration::from_millis(1);

/// Each wait with the note, for what is not there.
fn assert_that_waits_end(note: &Note<'_>) {
    let (held, changed) = (Mutex::new(0), Condvar::new());
    let mut guard = held.lock();
    assert!(!note.acquire(&Semaphore::new(0)));
    assert!(!note.wait_event(&Event::manual()));
    assert!(!note.wait_latch(&Latch::new(1)));
    assert!(!note.wait_while(&changed, &mut guard, |value| *value == 0));
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(note.lock(&held).is_none()));
    });
    *guard = 1; // it still holds the mutex
    assert!(note.wait_while(&changed, &mut guard, |value| *value == 0));
    note.wait();
    assert!(note.wait_for(LONG) && note.is_notified());
}

#[test]
fn waits_end_with_a_note_its_parents_and_its_time() {
    let root = Note::new();
    let (child, late) = (root.child(), root.child_for(SHORT));
    let leaf = child.child_for(LONG);
    assert!(!leaf.is_notified() && !leaf.wait_for(SHORT));
    assert_that_waits_end(&late);
    child.notify();
    assert!(!root.is_notified());
    assert_that_waits_end(&leaf);
    assert_that_waits_end(&Note::with_timeout(Duration::ZERO));
}

#[test]
fn what_is_there_is_taken() {
    let note = Note::default();
    note.notify();
    let (mutex, latch) = (Mutex::new(5), Latch::new(0));
    let (semaphore, event) = (Semaphore::new(1), Event::manual());
    event.set();
    assert!(note.acquire(&semaphore) && note.wait_event(&event) && note.wait_latch(&latch));
    assert_eq!(semaphore.available(), 0);
    assert_eq!(*note.lock(&mutex).expect("it is free"), 5);
    assert!(format!("{note:?}").contains("is_notified: true"));
}

#[test]
fn a_tree_has_a_greatest_depth() {
    fn deeper(note: &Note<'_>, left: usize) {
        if left > 0 {
            deeper(&note.child(), left - 1);
        }
    }
    deeper(&Note::new(), Note::DEPTH_MAX - 1);
    assert!(catch_unwind(|| deeper(&Note::new(), Note::DEPTH_MAX)).is_err());
}

#[test]
fn workers_stop_while_they_wait() {
    const ITEMS: usize = 2000;
    let (items, changed, stop) = (Mutex::new(0), Condvar::new(), Note::new());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut taken = 0;
                    let mut guard = items.lock();
                    while stop.wait_while(&changed, &mut guard, |items| *items == 0) {
                        *guard -= 1;
                        taken += 1;
                    }
                    taken
                })
            })
            .collect();
        for _ in 0..ITEMS {
            *items.lock() += 1;
            changed.notify_one();
        }
        stop.notify();
        let taken: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
        assert_eq!(taken + *items.lock(), ITEMS);
    });
}
