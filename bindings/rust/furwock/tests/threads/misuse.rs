// SPDX-License-Identifier: MIT
//! Errors in the program end it with a message; a fork keeps its promises.  Each test runs itself
//! again in a process of its own.

use std::env;
use std::process::{Command, Output};

use furwock::{Condvar, Latch, Mutex, Once, RwLock};

const MARK: &str = "FURWOCK_TEST_MISUSE";

/// Runs `act` in a process that runs only this test, and returns what came of it.
fn in_child(test: &str, act: impl FnOnce()) -> Option<Output> {
    if env::var_os(MARK).is_some() {
        act();
        std::process::exit(0);
    }
    let program = env::current_exe().unwrap();
    let test = format!("misuse::{test}");
    let run = Command::new(program).args(["--exact", &test, "--nocapture"]).env(MARK, "1").output();
    Some(run.unwrap())
}

fn assert_aborts(test: &str, message: &str, act: impl FnOnce()) {
    use std::os::unix::process::ExitStatusExt;
    let output = in_child(test, act).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{said}");
    assert!(said.contains(message), "{said}");
}

#[test]
fn locking_it_again_aborts() {
    assert_aborts("locking_it_again_aborts", "furwock", || {
        let mutex = Mutex::new(());
        let _held = mutex.lock();
        let _again = mutex.lock();
    });
}

#[test]
fn releasing_what_is_free_aborts() {
    assert_aborts("releasing_what_is_free_aborts", "furwock", || {
        let mutex = Mutex::new(());
        // SAFETY: none: that is the misuse.
        unsafe { mutex.force_unlock() };
    });
}

#[test]
fn writing_what_it_writes_aborts() {
    assert_aborts("writing_what_it_writes_aborts", "furwock", || {
        let lock = RwLock::new(());
        let _held = lock.write();
        let _again = lock.write();
    });
}

#[test]
fn counting_below_zero_aborts() {
    assert_aborts("counting_below_zero_aborts", "furwock", || Latch::new(1).count_down(2));
}

#[test]
fn an_initialiser_that_waits_for_itself_aborts() {
    assert_aborts("an_initialiser_that_waits_for_itself_aborts", "furwock", || {
        let once = Once::new();
        once.call_once(|| once.call_once(|| ()));
    });
}

/// The exit status of a child of fork that runs `act`.
fn forked(act: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child only uses locks that this thread may use, and leaves by _exit.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0, "{}", std::io::Error::last_os_error());
        if child == 0 {
            libc::_exit(if act() { 0 } else { 1 });
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        status
    }
}

#[test]
fn a_forked_child_holds_what_its_thread_held() {
    let test = "a_forked_child_holds_what_its_thread_held";
    let output = in_child(test, || {
        let (mutex, changed, once) = (Mutex::new(1), Condvar::new(), Once::new());
        let held = mutex.lock();
        let status = forked(|| {
            drop(held); // the child's copy
            let is_free = mutex.try_lock().is_some();
            once.call_once(|| ());
            is_free && !changed.notify_one() && once.is_completed()
        });
        assert_eq!(status, 0);
        assert!(!once.is_completed());
    })
    .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_another_thread_held_at_a_fork_stays_held_in_the_child() {
    let test = "what_another_thread_held_at_a_fork_stays_held_in_the_child";
    let output = in_child(test, || {
        let (mutex, once) = (Mutex::new(()), Once::new());
        let (inside, leave) = (Latch::new(2), Latch::new(1));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _held = mutex.lock();
                inside.count_down(1);
                leave.wait();
            });
            scope.spawn(|| {
                once.call_once(|| {
                    inside.count_down(1);
                    leave.wait();
                });
            });
            inside.wait();
            let status = forked(|| {
                let is_held = mutex.try_lock_for(std::time::Duration::from_millis(1)).is_none();
                let mut again = false;
                once.call_once(|| again = true); // begun anew in the child
                is_held && again
            });
            leave.count_down(1);
            assert_eq!(status, 0);
        });
        assert!(mutex.try_lock().is_some());
    })
    .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
