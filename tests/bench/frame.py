"""frame.py RUNS PROGRAM…: starts the programs in turn under sway and prints for each the median of the
milliseconds to its first frame: sway tells of a window when its first picture is there. Each window is
closed again before the next program starts."""
import json
import statistics
import subprocess
import sys
import time

PATIENCE = 30


def close_all(ended):
    subprocess.run(["swaymsg", "-q", "[app_id=.*] kill"], check=True)
    while json.loads(ended.readline())["change"] != "close":
        pass


def first_frame(program, events):
    begun = time.monotonic()
    process = subprocess.Popen([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    while json.loads(events.readline())["change"] != "new":
        if time.monotonic() - begun > PATIENCE:
            sys.exit(f"{program}: no window")
    taken = (time.monotonic() - begun) * 1000
    close_all(events)
    process.wait(PATIENCE)
    return taken


def main():
    times = {program: [] for program in sys.argv[2:]}
    with subprocess.Popen(["swaymsg", "-t", "subscribe", "-m", '["window"]'], stdout=subprocess.PIPE,
                          text=True) as subscription:
        time.sleep(0.5)
        for program in times:  # once for the caches
            first_frame(program, subscription.stdout)
        for _ in range(int(sys.argv[1])):
            for program, taken in times.items():
                taken.append(first_frame(program, subscription.stdout))
        subscription.terminate()
    for taken in times.values():
        print(round(statistics.median(taken), 3))


main()
