"""Uses litterbox-prompt as a screen reader does.

    at_spi.py tree                one line each: role|name|description|states
    at_spi.py wait STATE…         returns when all of these hold at once:
                                    active          the window has the focus
                                    inactive        it has not
                                    open            approvals count: the click guard's delay has ended
                                    checked:NAME    the check box NAME is checked
                                    sensitive:NAME  the button NAME is sensitive
                                    NAME            the button NAME has the focus
    at_spi.py where ROLE NAME     the middle of a widget: X Y
    at_spi.py press ROLE NAME     its first action

PROMPT_PID in the environment: only the prompt with this process ID counts.
"""
import os
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

TIMEOUT_S = 45
POLL_INTERVAL_S = 0.1
STATES = {
    "sensitive": Atspi.StateType.SENSITIVE,
    "focused": Atspi.StateType.FOCUSED,
    "focusable": Atspi.StateType.FOCUSABLE,
    "showing": Atspi.StateType.SHOWING,
    "default": Atspi.StateType.IS_DEFAULT,
}


def eventually(attempt, what):
    """The first true value of ATTEMPT, which is repeated, also where the tree changes while it is read."""
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        try:
            value = attempt()
        except (GLib.Error, AttributeError):
            value = None
        if value:
            return value
        time.sleep(POLL_INTERVAL_S)
    sys.exit(f"not within {TIMEOUT_S} s: {what}")


def children(node):
    return [child for child in map(node.get_child_at_index, range(node.get_child_count())) if child]


def find_window():
    wanted = int(os.environ.get("PROMPT_PID") or 0)
    for program in children(Atspi.get_desktop(0)):
        if program.get_name() == "litterbox-prompt" and wanted in (0, program.get_process_id()):
            return next(iter(children(program)), None)
    return None


def window():
    return eventually(find_window, "litterbox-prompt is on the accessibility bus")


def walk(node):
    yield node
    for child in children(node):
        yield from walk(child)


def role(node):
    """Newer versions of AT-SPI call a push button a button."""
    is_button = node.get_role() == Atspi.Role.PUSH_BUTTON
    return "push button" if is_button else node.get_role_name()


def has(node, state):
    return node.get_state_set().contains(state)


def line(node):
    shown = ",".join(name for name, state in STATES.items() if has(node, state))
    return "|".join((role(node), node.get_name(), node.get_description(), shown))


def find(wanted, name):
    for node in walk(window()):
        if role(node) == wanted and node.get_name() == name:
            return node
    sys.exit(f"no {wanted} is called {name!r}")


def is_open():
    """The button that allows may be insensitive for other reasons, so the box around it is looked at."""
    last = [node for node in walk(find_window()) if role(node) == "push button"][-1]
    return has(last.get_parent(), Atspi.StateType.SENSITIVE)


def is_in_state(name, state):
    return any(node.get_name() == name and has(node, state) for node in walk(find_window()))


CONDITIONS = {
    "active": lambda: has(find_window(), Atspi.StateType.ACTIVE),
    "inactive": lambda: not has(find_window(), Atspi.StateType.ACTIVE),
    "open": is_open,
}
STATE_PREFIXES = {"checked": Atspi.StateType.CHECKED, "sensitive": Atspi.StateType.SENSITIVE}


def wait(*conditions):
    def holds(each):
        if each in CONDITIONS:
            return CONDITIONS[each]()
        prefix, _, name = each.partition(":")
        if prefix in STATE_PREFIXES:
            return is_in_state(name, STATE_PREFIXES[prefix])
        return is_in_state(each, Atspi.StateType.FOCUSED)

    eventually(lambda: all(map(holds, conditions)), "the prompt is " + " and ".join(conditions))


def where(wanted, name):
    box = find(wanted, name).get_extents(Atspi.CoordType.SCREEN)
    print(box.x + box.width // 2, box.y + box.height // 2)


def press(wanted, name):
    sys.exit(not find(wanted, name).do_action(0))


def main(command, *arguments):
    if command == "tree":
        print("\n".join(line(node) for node in walk(window().get_parent())))
    else:
        {"wait": wait, "where": where, "press": press}[command](*arguments)


main(*sys.argv[1:])
