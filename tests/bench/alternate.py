"""alternate.py RUNS [--before COMMAND] COMMAND…: runs the commands in turn, so that the machine's moods meet them all
alike, and what comes behind --before ahead of each, uncounted; prints the median of each in milliseconds."""
import shlex
import statistics
import subprocess
import sys
import time

runs, *commands = sys.argv[1:]
before = None
if commands[0] == "--before":
    before, commands = shlex.split(commands[1]), commands[2:]
times = {command: [] for command in commands}
for _ in range(int(runs)):
    for command, taken in times.items():
        if before:
            subprocess.run(before, check=True)
        words = shlex.split(command)
        begun = time.monotonic()
        subprocess.run(words, check=True)
        taken.append((time.monotonic() - begun) * 1000)
for taken in times.values():
    print(round(statistics.median(taken), 3))
