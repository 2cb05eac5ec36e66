"""memory.py EXCEPT: prints the proportional set size in KiB of all processes, but for EXCEPT and Podman's services."""
import ctypes
import glob
import platform
import sys

KCMP = 312 if platform.machine() == "x86_64" else 272
KCMP_VM = 1


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def field(text, name):
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(name)), 0)


def shares_parents_memory(pid):
    """What a process has in common with its parent as vfork(2) has, /proc shows as the memory of both."""
    parent = field(read(f"/proc/{pid}/status"), b"PPid:")
    return parent > 0 and ctypes.CDLL(None).syscall(KCMP, pid, parent, KCMP_VM, 0, 0) == 0


total = 0
for folder in glob.glob("/proc/[0-9]*"):
    pid = int(folder[len("/proc/"):])
    if pid == int(sys.argv[1]) or b"system\0service" in read(folder + "/cmdline") or shares_parents_memory(pid):
        continue
    total += field(read(folder + "/smaps_rollup"), b"Pss:")
print(total)
