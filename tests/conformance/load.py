"""Writers, FIFOs and signals at once for some seconds: load.py SECONDS. Prints how many calls failed."""
import os
import signal
import subprocess
import sys
import time

WRITERS = 16


def write(end):
    failures = 0
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    signal.siginterrupt(signal.SIGALRM, False)
    os.mkfifo("fifo")
    while time.time() < end:
        try:
            with open("new", "w") as out:
                out.write("x")
            os.chmod("new", 0o755)
            os.rename("new", "renamed")
            os.mkdir("folder")
            os.rmdir("folder")
            os.link("renamed", "linked")
            os.unlink("linked")
            reader = subprocess.Popen(["cat", "fifo"], stdout=subprocess.DEVNULL)
            with open("fifo", "w") as fifo:
                fifo.write("x")
            failures += reader.wait() != 0
        except OSError as error:
            print(error, file=sys.stderr)
            failures += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    sys.exit(min(failures, 100))


end = time.time() + float(sys.argv[1])
for i in range(WRITERS):
    if os.fork() == 0:
        os.mkdir(f"writer{i}")
        os.chdir(f"writer{i}")
        write(end)
print(sum(os.waitstatus_to_exitcode(os.wait()[1]) != 0 for _ in range(WRITERS)), "failures")
