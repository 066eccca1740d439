// SPDX-License-Identifier: MIT
//! The death of a mutex's owner, in the types.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

use furwock::ipc::{
    journal_record, Error, Guard, Held, LockError, LockOptions, Mutex, MutexGuard, Region,
};

use crate::support::{
    is_asleep, kill_one, ready_to_die, region, thread_id, wait_until, Process, Victim,
};

const PAIR: [u64; 2] = [50, 50];

pub const VICTIMS: &[Victim] = &[
    ("half a change", |region| {
        let mutex = pair(region);
        let mut guard = mutex.lock().unwrap();
        guard[0] = 49;
        ready_to_die()
    }),
    ("in a repair", |region| {
        let mutex = pair(region);
        let Err(LockError::OwnerDied(died)) = mutex.lock() else { panic!("nobody died") };
        let _guard = died.repair(|pair, _| {
            pair[0] = 1000;
            ready_to_die()
        });
    }),
    ("half a journaled change", |region| {
        let mutex = journaled(region);
        let mut guard = mutex.lock().unwrap();
        guard[0] -= 7;
        ready_to_die()
    }),
    ("half a transaction", |region| {
        let mutex = journaled(region);
        let mut guard = mutex.lock().unwrap();
        Guard::journaled(&mut guard, |change| {
            *change.record(|pair| &mut pair[0])? -= 7;
            ready_to_die();
            #[allow(unreachable_code)]
            Ok::<(), Error>(())
        })
        .unwrap();
    }),
    ("after a transaction", |region| {
        let mutex = journaled(region);
        let mut guard = mutex.lock().unwrap();
        Guard::journaled(&mut guard, |change| {
            *change.record(|pair| &mut pair[0])? -= 7;
            *change.record(|pair| &mut pair[1])? += 7;
            Ok::<(), Error>(())
        })
        .unwrap();
        ready_to_die()
    }),
];

fn pair(region: &Region) -> Mutex<[u64; 2]> {
    Mutex::open_or_create(region, "pair", PAIR).unwrap()
}

fn journaled(region: &Region) -> Mutex<[u64; 2]> {
    let options = LockOptions::new().journal(4 * journal_record(16));
    Mutex::open_or_create_with(region, "pair", &options, PAIR).unwrap()
}

fn died<'a>(
    mutex: &'a Mutex<[u64; 2]>,
    victim: i32,
) -> furwock::ipc::OwnerDied<MutexGuard<'a, [u64; 2]>> {
    match mutex.lock() {
        Err(LockError::OwnerDied(died)) => {
            assert_eq!((died.death().process, died.death().thread != 0), (victim, true));
            died
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn owner_died_says_who_and_the_repair_is_final() {
    let (name, region) = region();
    let mutex = pair(&region);
    let victim = kill_one("half a change", &name);
    let state = mutex.state().unwrap();
    assert_eq!((state.held, state.process), (Held::OwnerDied, victim));
    let died = died(&mutex, victim);
    let death = died.death();
    assert!(mutex.state().unwrap().is_inconsistent);
    assert_eq!(death.generation, 1);
    let guard = died
        .repair(|pair, again| {
            assert_eq!((pair[0], *again), (49, death));
            *pair = PAIR;
        })
        .unwrap();
    assert_eq!((*guard, Guard::generation(&guard)), (PAIR, 2));
    drop(guard);
    assert_eq!(*mutex.lock().unwrap(), PAIR);
    assert_eq!(mutex.last_death(), Some(death));
}

#[test]
fn a_sleeping_waiter_is_told() {
    let (name, region) = region();
    let victim = Process::start("half a change", &name);
    let waiter_id = Arc::new(AtomicI32::new(0));
    let waiter = thread::spawn({
        let (region, waiter_id) = (region.clone(), waiter_id.clone());
        move || {
            let mutex = pair(&region);
            waiter_id.store(thread_id(), SeqCst);
            let result = mutex.lock();
            matches!(result, Err(LockError::OwnerDied(_)))
        }
    });
    wait_until("the waiter sleeps", || {
        let id = waiter_id.load(SeqCst);
        id != 0 && is_asleep(id)
    });
    victim.kill();
    assert!(waiter.join().unwrap());
}

#[test]
fn given_up_is_unusable_for_all() {
    let (name, region) = region();
    let mutex = pair(&region);
    let victim = kill_one("half a change", &name);
    drop(died(&mutex, victim));
    assert_eq!(mutex.state().unwrap().held, Held::Unusable);
    assert!(matches!(mutex.lock(), Err(LockError::NotRecoverable)));
    assert!(matches!(mutex.try_lock(), Err(LockError::NotRecoverable)));
    let error = mutex.lock_or_repair(|_, _| ()).unwrap_err();
    assert_eq!(error.kind(), furwock::ipc::ErrorKind::NotRecoverable);
}

#[test]
fn replaced_or_taken_as_they_are() {
    let (name, region) = region();
    let mutex = pair(&region);
    let victim = kill_one("half a change", &name);
    assert_eq!(*died(&mutex, victim).replace([1, 2]).unwrap(), [1, 2]);
    let victim = kill_one("half a change", &name);
    assert_eq!(*died(&mutex, victim).into_inner().unwrap(), [49, 2]);
    let victim = kill_one("half a change", &name);
    let guard = mutex.lock_or_repair(|pair, death| {
        assert_eq!(death.unwrap().process, victim);
        *pair = PAIR;
    });
    assert_eq!(*guard.unwrap(), PAIR);
}

#[test]
fn a_repair_that_is_killed_is_repeated() {
    let (name, region) = region();
    let mutex = pair(&region);
    kill_one("half a change", &name);
    let victim = kill_one("in a repair", &name);
    let guard = died(&mutex, victim).repair(|pair, _| {
        assert_eq!(pair[0], 1000);
        *pair = PAIR;
    });
    assert_eq!(*guard.unwrap(), PAIR);
}

#[test]
fn the_journal_undoes() {
    let (name, region) = region();
    let mutex = journaled(&region);
    for (victim, left) in [
        ("half a journaled change", PAIR),
        ("half a transaction", PAIR),
        ("after a transaction", [43, 57]),
    ] {
        let id = kill_one(victim, &name);
        assert_eq!(*mutex.lock().unwrap(), left, "{victim}");
        assert_eq!(mutex.last_death().unwrap().process, id);
    }
}

#[test]
fn a_repair_function_is_called_once_for_a_death() {
    let (name, region) = region();
    let mutex = pair(&region);
    let calls = Arc::new(AtomicU32::new(0));
    let of_repair = calls.clone();
    mutex
        .on_death(move |pair, death| {
            of_repair.fetch_add(1, SeqCst);
            *pair = [death.process as u64, 0];
            true
        })
        .unwrap();
    let victim = kill_one("half a change", &name);
    assert_eq!(*mutex.lock().unwrap(), [victim as u64, 0]);
    assert_eq!(*mutex.lock().unwrap(), [victim as u64, 0]);
    assert_eq!(calls.load(SeqCst), 1);
    mutex.no_repair();
    let victim = kill_one("half a change", &name);
    drop(died(&mutex, victim).replace(PAIR).unwrap());
    assert_eq!(calls.load(SeqCst), 1);
}

#[test]
fn a_repair_function_may_decline_or_panic() {
    let (name, region) = region();
    let mutex = pair(&region);
    mutex.on_death(|_, _| false).unwrap();
    let victim = kill_one("half a change", &name);
    drop(died(&mutex, victim).replace(PAIR).unwrap());
    mutex.on_death(|_, _| panic!("as the test wants it")).unwrap();
    let victim = kill_one("half a change", &name);
    drop(died(&mutex, victim).replace(PAIR).unwrap());
    assert_eq!(*mutex.lock().unwrap(), PAIR);
}

#[test]
fn the_end_of_a_thread_is_a_death() {
    let (_name, region) = region();
    let mutex = pair(&region);
    thread::scope(|scope| {
        scope.spawn(|| std::mem::forget(mutex.lock().unwrap())).join().unwrap();
    });
    drop(died(&mutex, std::process::id() as i32).into_inner().unwrap());
}

#[test]
fn a_forked_child_holds_nothing() {
    let (_name, region) = region();
    let mutex = pair(&region);
    let guard = mutex.lock().unwrap();
    // SAFETY: the child calls the lock only, and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let is_refused = Guard::unlock(guard).is_err();
        let is_locked = matches!(mutex.try_lock(), Err(LockError::WouldBlock));
        // SAFETY: no destructors of the parent's.
        unsafe { libc::_exit(i32::from(!is_refused || !is_locked)) };
    }
    let mut status = -1;
    // SAFETY: a child of this thread, and a place for its status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child could release, or take, what its parent holds");
    assert!(mutex.is_held_by_me());
    Guard::unlock(guard).unwrap();
}
