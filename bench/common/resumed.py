# SPDX-License-Identifier: MIT
"""For tests of front ends in Python: Ctrl-C, and the same command goes on."""

import json
import signal
import subprocess

PATIENCE_S = 240


def interrupted(test, words, path):
    """The result of a run that was interrupted after a round at least."""
    patience = 0.5
    while patience < PATIENCE_S:
        path.unlink(missing_ok=True)
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as running:
            try:
                test.fail(f"it ended: {running.communicate(timeout=patience)[1]}")
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGINT)
            said = running.communicate(timeout=PATIENCE_S)[1]
        if path.exists():
            result = json.loads(path.read_text(encoding="utf-8"))
            test.assertIs(result["complete"], False, said)
            if all(cell["runs"] for cell in result["cells"]):
                return result
        patience *= 2
    return test.fail(f"not a round in {PATIENCE_S} seconds")


def check(test, path, first, rounds):
    """The result at the end: the rounds of both sittings, those of the first as they were."""
    result = json.loads(path.read_text(encoding="utf-8"))
    test.assertIs(result["complete"], True)
    test.assertGreater(result["seconds"], first["seconds"])
    whole = min(len(cell["runs"]) for cell in first["cells"])
    for cell, before in zip(result["cells"], first["cells"]):
        test.assertEqual([run["round"] for run in cell["runs"]], list(range(1, rounds + 1)))
        test.assertEqual(cell["runs"][:whole], before["runs"][:whole])
    return result
