"""agent.py OURS THEIRS KEY: asks two SSH agents in turn for a list, and for a signature with the public
key in KEY; prints, for each, the medians of both in milliseconds."""
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from agent_client import Agent, public_key, sign_request, sshsig  # noqa: E402

ROUNDS = 1000


def measure(agents, requests, expected):
    times = {agent: [] for agent in agents}
    for i in range(ROUNDS):
        body = requests(i)
        for agent, taken in times.items():
            begun = time.monotonic()
            answer = agent.ask(body)
            taken.append((time.monotonic() - begun) * 1000)
            if answer[0] != expected:
                sys.exit("an answer of type %d" % answer[0])
    print(*(round(statistics.median(taken), 4) for taken in times.values()))


agents = [Agent(path) for path in sys.argv[1:3]]
key = public_key(sys.argv[3])
measure(agents, lambda i: b"\x0b", 12)
measure(agents, lambda i: sign_request(key, sshsig(digest=b"%064d" % i)), 14)
