"""Tests of Python's own standard library: python_suite.py MODULE… (such as test_os).

Prints a line for each test: its name and how it ended. Runs in an empty folder, in which the tests make their files.
"""
import os
import sys
import time
import unittest

os.environ["TMPDIR"] = os.getcwd()
from test import support  # noqa: E402 pylint: disable=wrong-import-position
from test.support import os_helper  # noqa: E402 pylint: disable=wrong-import-position

os.closerange(3, 1000)  # what the caller forgot; tests take the next number
report = os.fdopen(os.dup(1), "w", buffering=1)
me = os.getpid()


class Result(unittest.TestResult):
    """Says how each test ended, and why it was left out; on standard error how it failed."""

    def say(self, test, outcome):
        if os.getpid() == me:  # a child that a test forgot is no test
            print(test.id(), outcome, file=report)

    def startTest(self, test):
        super().startTest(test)
        self.start = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        spent = time.monotonic() - self.start
        if spent > 1:
            print(f"{test.id()} took {spent:.1f} s", file=sys.stderr)

    def addSuccess(self, test):
        self.say(test, "ok")

    def addSkip(self, test, reason):
        self.say(test, f"skipped: {reason}")

    def addExpectedFailure(self, test, err):
        self.say(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        self.say(test, "unexpected success")

    def addFailure(self, test, err):
        self.say(test, "failed")
        print(test.id(), self._exc_info_to_string(err, test), file=sys.stderr)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err:
            self.addFailure(subtest, err)


def run(name):
    # Modules take the folder of the moment for that of the tests.
    with os_helper.temp_cwd(name):
        try:
            tests = unittest.defaultTestLoader.loadTestsFromName("test." + name)
        except unittest.SkipTest as why:
            print(name, f"skipped: {why}", file=report)
            return
        tests.run(Result())
    support.reap_children()


if __name__ == "__main__":  # some tests import this once more in a new process
    for module in sys.argv[1:]:
        run(module)
