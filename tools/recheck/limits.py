"""FORMAT.md, section 7: a check in a process of its own, which ends at the limits of time and memory."""

import json
import os
import resource
import signal
import sys

from .check import check_file
from .refusal import INTERNAL, REFUSALS, TooMuch

SECONDS, MEMORY, MEGABYTE = 3600, 2000, 10**6  # the defaults; this checker takes a hundred times as long as the other
NO_MEMORY = 3  # exit status of a child that found no memory


def held():
    """Bytes of data and stack that this process has; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[5]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError, IndexError):
        return 0


def in_child(path, options, end):
    """The child's part of check_within: the outcome goes to `end`; the exit status."""
    memory = held() + options.memory * MEGABYTE
    for kind, soft, hard in ((resource.RLIMIT_CORE, 0, 0), (resource.RLIMIT_DATA, memory, memory),
                             (resource.RLIMIT_CPU, options.seconds, options.seconds + 1)):
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(kind, (soft, hard))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    try:
        outcome = json.dumps(check_file(path, options)).encode("ascii") + b"\n"
        while outcome:
            outcome = outcome[os.write(end, outcome):]
        return 0
    except MemoryError:
        return NO_MEMORY


def check_within(path, options):
    """check_file in a child process that ends at the limits: only an outcome that arrived whole counts."""
    start, end = os.pipe()
    sys.stdout.flush()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored, a child's end cannot be learnt
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(start)
            status = in_child(path, options, end)
        finally:
            os._exit(status)
    os.close(end)
    with open(start, "rb") as pipe:
        data = pipe.read()
    _, status, usage = os.wait4(child, 0)
    signalled, late = os.WIFSIGNALED(status) and os.WTERMSIG(status), usage.ru_utime + usage.ru_stime >= options.seconds
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 and data.endswith(b"\n"):
        code, result = json.loads(data)
        return code, result
    code, verdict = REFUSALS[TooMuch]
    if signalled == signal.SIGXCPU or (signalled == signal.SIGKILL and late):
        reason = (f"SP0905 the check needs more than {options.seconds} s of processor time, its limit; to allow more, "
                  f"check it with --seconds {10 * options.seconds}")
    elif os.WIFEXITED(status) and os.WEXITSTATUS(status) == NO_MEMORY:
        reason = (f"SP0905 the check needs more than {options.memory} MB of memory, its limit; to allow more, "
                  f"check it with --memory {10 * options.memory}")
    else:
        code, verdict = INTERNAL, "internal error"
        reason = f"the process of the check was ended by signal {signalled}" if signalled else "it left no outcome"
    return code, {"file": path, "claim": "", "verdict": verdict, "evidence": "", "reason": reason}
