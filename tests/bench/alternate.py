"""alternate.py RUNS PROGRAM…: runs the programs in turn, so that the machine's moods meet them all alike;
prints the median of each in milliseconds."""
import statistics
import subprocess
import sys
import time

times = {program: [] for program in sys.argv[2:]}
for _ in range(int(sys.argv[1])):
    for program, taken in times.items():
        begun = time.monotonic()
        subprocess.run([program], check=True)
        taken.append((time.monotonic() - begun) * 1000)
for taken in times.values():
    print(round(statistics.median(taken), 3))
