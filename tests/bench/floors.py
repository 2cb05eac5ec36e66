"""floors.py RUNS SERVER URL DIRECT THROUGH: transfers URL by both clients (secrets.bash) in turn, RUNS times. Prints medians
in milliseconds: of the direct one the time, and the processor time of its client and of the process SERVER; of the other
the time, and the processor time of gate and relay; and half of all that processor time."""
import os
import resource
import statistics
import subprocess
import sys

runs, server, url, direct, through = sys.argv[1:]


def of_processes(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            total += sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
    return total * 1000 / os.sysconf("SC_CLK_TCK")


def relays():
    return subprocess.run(["pgrep", "^litterbox-(gate|secr)"], check=True, stdout=subprocess.PIPE).stdout.decode().split()


def of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def transfer(client):
    return float(subprocess.run([client, url], check=True, stdout=subprocess.PIPE).stdout) * 1000


rows = []
for _ in range(int(runs)):
    served, called = of_processes([server]), of_children()
    alone = transfer(direct)
    ends = of_processes([server]) - served + of_children() - called
    passing = relays()
    passed = of_processes(passing)
    beside = transfer(through)
    between = of_processes(passing) - passed
    rows.append((alone, ends, beside, between, (ends + between) / 2))
print(*(round(statistics.median(column), 3) for column in zip(*rows)))
