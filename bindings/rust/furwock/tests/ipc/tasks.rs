// SPDX-License-Identifier: MIT
//! Tasks that wait for the locks of a region, beside threads and processes that are killed.

use std::future::Future;
use std::pin::{pin, Pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use furwock::ipc::{
    Condvar, CopyMutex, ErrorKind, LockError, LockOptions, Mutex, Permits, ReadError, Region,
    RwLock, Semaphore,
};

use crate::executor::{block_on, poll, poll_once, run, yield_now, Calls};
use crate::support::{ready_to_die, region, Process, Victim};

pub const VICTIMS: &[Victim] = &[
    ("holds by a task", |region| {
        let mutex = counter(region);
        let _guard = block_on(mutex.lock_async()).unwrap();
        ready_to_die()
    }),
    ("writes by a task", |region| {
        let lock = price(region);
        let mut guard = block_on(lock.write_async()).unwrap();
        guard[0] = 1000;
        ready_to_die()
    }),
    ("borrows by a task", |region| {
        let permits = Permits::open_or_create(region, "permits", 1).unwrap();
        let _permit = block_on(permits.acquire_async()).unwrap();
        ready_to_die()
    }),
];

pub fn counter(region: &Region) -> Mutex<u64> {
    Mutex::open_or_create(region, "counter", 0).unwrap()
}

fn price(region: &Region) -> RwLock<[u64; 2]> {
    RwLock::open_or_create(region, "price", [100, 102]).unwrap()
}

fn mailbox(region: &Region) -> (Mutex<u64>, Condvar) {
    let not_empty = Condvar::open_or_create(region, "not empty").unwrap();
    (Mutex::open_or_create(region, "letters", 0).unwrap(), not_empty)
}

/// Polls a future that has to wait.
fn begin<F: Future>(future: Pin<&mut F>) -> Arc<Calls> {
    let calls = Calls::new();
    assert!(poll(future, &calls).is_pending());
    calls
}

/// What it ends with, once it was woken.
fn end<F: Future>(future: Pin<&mut F>, calls: &Arc<Calls>) -> F::Output {
    calls.wait();
    let Poll::Ready(result) = poll(future, calls) else { panic!("it was woken") };
    result
}

#[test]
fn a_free_lock_is_taken_at_once() {
    let (_name, region) = region();
    let mutex = counter(&region);
    let Poll::Ready(guard) = poll_once(pin!(mutex.lock_async())) else { panic!("it was free") };
    let mut guard = guard.unwrap();
    *guard += 1;
    assert!(matches!(mutex.try_lock(), Err(LockError::WouldBlock)));
    assert!(!mutex.is_held_by_me(), "it is the task's");
    drop(guard);
    assert_eq!(*mutex.lock().unwrap(), 1);
}

#[test]
fn it_waits_for_a_thread_and_a_thread_for_it() {
    let (_name, region) = region();
    let mutex = counter(&region);
    let calls = Calls::new();
    let held = mutex.lock().unwrap();
    let mut future = pin!(mutex.lock_async());
    assert!(poll(future.as_mut(), &calls).is_pending());
    drop(held);
    let Ok(mut guard) = end(future.as_mut(), &calls) else { panic!("it was woken") };
    thread::scope(|scope| {
        let thread = scope.spawn(|| *mutex.lock().unwrap());
        *guard = 7;
        drop(guard);
        assert_eq!(thread.join().unwrap(), 7);
    });
}

#[test]
fn a_guard_is_dropped_in_another_thread() {
    let (_name, region) = region();
    let mutex = counter(&region);
    let mut guard = block_on(mutex.lock_async()).unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            *guard += 1;
            drop(guard);
        });
    });
    assert_eq!(*mutex.try_lock().unwrap(), 1);
}

#[test]
fn the_latest_waker_is_called() {
    let (_name, region) = region();
    let mutex = counter(&region);
    let (former, latest) = (Calls::new(), Calls::new());
    let held = mutex.lock().unwrap();
    let mut future = pin!(mutex.lock_async());
    assert!(poll(future.as_mut(), &former).is_pending());
    assert!(poll(future.as_mut(), &latest).is_pending());
    drop(held);
    latest.wait();
    assert_eq!(former.count(), 0);
    assert!(poll(future.as_mut(), &latest).is_ready());
}

#[test]
fn a_dropped_future_keeps_nothing() {
    let (_name, region) = region();
    let mutex = counter(&region);
    let held = mutex.lock().unwrap();
    {
        let mut waits = pin!(mutex.lock_async());
        assert!(poll_once(waits.as_mut()).is_pending());
    }
    drop(held);
    drop(mutex.try_lock().unwrap());
    let held = mutex.lock().unwrap();
    {
        let calls = Calls::new();
        let mut granted = pin!(mutex.lock_async());
        assert!(poll(granted.as_mut(), &calls).is_pending());
        drop(held);
        calls.wait();
        assert!(matches!(mutex.try_lock(), Err(LockError::WouldBlock)));
    }
    drop(mutex.try_lock().unwrap());
}

#[test]
fn it_learns_of_a_death() {
    let (name, region) = region();
    let mutex = counter(&region);
    let victim = Process::start("holds by a task", &name);
    let mut future = pin!(mutex.lock_async());
    let calls = begin(future.as_mut());
    let process = victim.kill();
    let Err(LockError::OwnerDied(died)) = end(future.as_mut(), &calls) else {
        panic!("the owner has died")
    };
    assert_eq!(died.death().process, process);
    let mut guard = died.repair(|counter, _| *counter = 5).unwrap();
    *guard += 1;
    drop(guard);
    assert_eq!(*mutex.lock().unwrap(), 6);
}

#[test]
fn a_dropped_future_leaves_the_death_to_the_next() {
    let (name, region) = region();
    let mutex = counter(&region);
    let victim = Process::start("holds by a task", &name);
    {
        let calls = Calls::new();
        let mut future = pin!(mutex.lock_async());
        assert!(poll(future.as_mut(), &calls).is_pending());
        victim.kill();
        calls.wait();
    }
    let Err(LockError::OwnerDied(died)) = block_on(mutex.lock_async()) else {
        panic!("nobody was told yet")
    };
    drop(died); // unrepaired
    assert!(matches!(block_on(mutex.lock_async()), Err(LockError::NotRecoverable)));
    assert!(matches!(mutex.lock(), Err(LockError::NotRecoverable)));
}

#[test]
fn a_journal_restores_what_a_task_has_changed() {
    let (_name, region) = region();
    let options = LockOptions::new().journal(256);
    let pair = Mutex::open_or_create_with(&region, "pair", &options, [50_u64, 50]).unwrap();
    let result = thread::scope(|scope| {
        let task = scope.spawn(|| {
            let mut guard = block_on(pair.lock_async()).unwrap();
            guard[0] = 0;
            panic!("on purpose");
        });
        task.join()
    });
    assert!(result.is_err());
    assert_eq!(*block_on(pair.lock_async()).unwrap(), [50, 50]);
}

#[test]
fn copies_for_regions_that_are_not_trusted() {
    let (name, region) = region();
    let mutex = CopyMutex::open_or_create(&region, "flags", [false; 8]).unwrap();
    let mut guard = block_on(mutex.lock_async()).unwrap();
    let mut flags = guard.read().unwrap();
    flags[3] = true;
    guard.write(flags);
    drop(guard);
    assert!(mutex.lock().unwrap().read().unwrap()[3]);
    drop(name);
}

#[test]
fn readers_and_writers() {
    let (name, region) = region();
    let lock = price(&region);
    let (one, two) = (block_on(lock.read_async()).unwrap(), block_on(lock.read_async()).unwrap());
    assert_eq!(one[0] + 2, two[1]);
    let mut writer = pin!(lock.write_async());
    let calls = begin(writer.as_mut());
    drop((one, two));
    let Ok(mut guard) = end(writer.as_mut(), &calls) else { panic!("woken") };
    *guard = [1, 3];
    assert!(matches!(lock.try_read(), Err(ReadError::WouldBlock)));
    drop(guard);

    let victim = Process::start("writes by a task", &name);
    let mut reader = pin!(lock.read_async());
    let calls = begin(reader.as_mut());
    victim.kill();
    let Err(ReadError::WriterDied) = end(reader.as_mut(), &calls) else {
        panic!("the writer died")
    };
    let Err(LockError::OwnerDied(died)) = block_on(lock.write_async()) else { panic!("died") };
    drop(died.replace([7, 9]).unwrap());
    assert_eq!(*block_on(lock.read_async()).unwrap(), [7, 9]);
}

#[test]
fn units() {
    let (_name, region) = region();
    let units = Semaphore::open_or_create(&region, "units", 1, 10).unwrap();
    block_on(units.acquire_async()).unwrap();
    {
        let calls = Calls::new();
        let mut granted = pin!(units.acquire_async());
        assert!(poll(granted.as_mut(), &calls).is_pending());
        units.release(1).unwrap();
        calls.wait();
        assert_eq!(units.value(), 0);
    }
    assert_eq!(units.value(), 1, "the unit of a dropped future is back");
}

#[test]
fn permits_come_back_from_the_dead() {
    let (name, region) = region();
    let permits = Permits::open_or_create(&region, "permits", 1).unwrap();
    let victim = Process::start("borrows by a task", &name);
    let mut future = pin!(permits.acquire_async());
    let calls = begin(future.as_mut());
    victim.kill();
    let Ok(permit) = end(future.as_mut(), &calls) else { panic!("it came back") };
    assert!(permit.previous_owner_died());
    assert_eq!(permit.index(), 0);
    assert_eq!(permits.available(), 0);
    permit.release().unwrap();
    assert_eq!(permits.available(), 1);
}

#[test]
fn conditions() {
    let (_name, region) = region();
    let (letters, not_empty) = mailbox(&region);
    let guard = block_on(letters.lock_async()).unwrap();
    let mut wait = pin!(not_empty.wait_while_async(guard, |letters| *letters == 0));
    let calls = begin(wait.as_mut());
    let mut guard = letters.lock().unwrap(); // by a thread: the task has released it
    *guard += 1;
    not_empty.notify_one().unwrap();
    drop(guard);
    calls.wait();
    let mut guard = loop {
        if let Poll::Ready(guard) = poll(wait.as_mut(), &calls) {
            break guard.unwrap();
        }
        thread::yield_now();
    };
    assert_eq!(*guard, 1);
    *guard = 0;
}

#[test]
fn a_dropped_wait_passes_its_notification_on() {
    let (_name, region) = region();
    let (letters, not_empty) = mailbox(&region);
    let calls = Calls::new();
    let guard = block_on(letters.lock_async()).unwrap();
    let mut other = Box::pin(not_empty.wait_async(guard));
    assert!(matches!(letters.try_lock(), Err(LockError::WouldBlock)), "it was not polled yet");
    assert!(poll_once(other.as_mut()).is_pending());
    let guard = block_on(letters.lock_async()).unwrap();
    let mut wait = Box::pin(not_empty.wait_async(guard));
    assert!(poll(wait.as_mut(), &calls).is_pending());
    not_empty.notify_one().unwrap();
    drop(other); // notified, or about to be
    let guard = block_on(wait).unwrap();
    drop(guard);
}

#[test]
fn a_condition_of_another_region() {
    let ((_one, region_one), (_two, region_two)) = (region(), region());
    let (letters, _) = mailbox(&region_one);
    let (_, elsewhere) = mailbox(&region_two);
    let guard = block_on(letters.lock_async()).unwrap();
    let error = block_on(elsewhere.wait_async(guard)).unwrap_err().into_error();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    drop(letters.try_lock().unwrap());
}

#[test]
fn a_forked_child_waits_by_a_driver_of_its_own() {
    let (_name, region) = region();
    let mutex = counter(&region);
    let held = block_on(mutex.lock_async()).unwrap();
    let mut inherited = Box::pin(mutex.lock_async());
    assert!(poll_once(inherited.as_mut()).is_pending());
    // SAFETY: the child calls nothing that a thread of the parent may be in the middle of, except
    // the allocator, which copes.
    match unsafe { libc::fork() } {
        0 => {
            let is_refused = matches!(
                poll_once(inherited.as_mut()),
                Poll::Ready(Err(LockError::Other(error)))
                    if error.kind() == ErrorKind::InvalidInput
            );
            drop(inherited);
            let free = Mutex::open_or_create(&region, "another", 0_u64).unwrap();
            let is_fine = is_refused
                && block_on(free.lock_async()).is_ok()
                && poll_once(pin!(mutex.lock_async())).is_pending();
            drop(held); // which the child does not hold
                        // SAFETY: no destructors are to be run.
            unsafe { libc::_exit(if is_fine { 0 } else { 1 }) }
        }
        child => {
            let mut status = 0;
            // SAFETY: a child of ours, and a place for its status.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0);
        }
    }
    assert!(matches!(mutex.try_lock(), Err(LockError::WouldBlock)), "the child released nothing");
    drop(held);
    drop(block_on(inherited).unwrap());
}

#[test]
fn many_tasks_on_some_threads() {
    const TASKS: usize = 50;
    const EACH: u64 = 40;
    let (_name, region) = region();
    let (pair, left) =
        (Mutex::open_or_create(&region, "pair", [0_u64; 2]).unwrap(), AtomicU32::new(0));
    // The executor's futures are 'static.
    let pair: &'static _ = Box::leak(Box::new(pair));
    let left: &'static AtomicU32 = Box::leak(Box::new(left));
    let tasks = (0..TASKS).map(|i| {
        Box::pin(async move {
            for turn in 0..EACH {
                if (turn + i as u64) % 8 == 0 {
                    // Begun, and given up at some moment.
                    let mut future = Box::pin(pair.lock_async());
                    let _ = poll_once(future.as_mut());
                    yield_now().await;
                    drop(future);
                    left.fetch_add(1, Ordering::Relaxed);
                }
                let mut both = pair.lock_async().await.unwrap();
                both[0] += 1;
                yield_now().await;
                both[1] += 1;
                assert_eq!(both[0], both[1]);
            }
        }) as _
    });
    run(3, tasks.collect());
    assert_eq!(*pair.lock().unwrap(), [TASKS as u64 * EACH; 2]);
    assert_eq!(left.load(Ordering::Relaxed) as u64, TASKS as u64 * EACH / 8);
}
