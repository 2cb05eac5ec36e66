"""What a screen reader sees of litterbox-prompt, and does with it.

    at_spi.py tree               one line each: role|name|description|states
    at_spi.py where ROLE NAME    the middle of a widget: X Y
    at_spi.py press ROLE NAME    its first action
    at_spi.py open               returns when the last button, which says yes, may be pressed
"""
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

STATES = {
    "sensitive": Atspi.StateType.SENSITIVE,
    "focused": Atspi.StateType.FOCUSED,
    "focusable": Atspi.StateType.FOCUSABLE,
    "showing": Atspi.StateType.SHOWING,
    "default": Atspi.StateType.IS_DEFAULT,
}


def application():
    """The program's root; a screen reader hears of it a moment after the window is there."""
    for _ in range(200):
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(i)
            if child and child.get_name() == "litterbox-prompt" and child.get_child_count():
                return child
        time.sleep(0.02)
    sys.exit("no litterbox-prompt on the accessibility bus")


def walk(node):
    yield node
    for i in range(node.get_child_count()):
        child = node.get_child_at_index(i)
        if child:
            yield from walk(child)


def role(node):
    """Newer versions of AT-SPI call a push button a button."""
    is_button = node.get_role() == Atspi.Role.PUSH_BUTTON
    return "push button" if is_button else node.get_role_name()


def line(node):
    states = node.get_state_set()
    shown = ",".join(name for name, state in STATES.items() if states.contains(state))
    return "|".join((role(node), node.get_name(), node.get_description(), shown))


def find(wanted, name):
    for node in walk(application()):
        if role(node) == wanted and node.get_name() == name:
            return node
    sys.exit(f"no {wanted} is called {name!r}")


def wait_open():
    """The button may be insensitive for reasons of its own: the box around it tells."""
    for _ in range(1000):
        last = [node for node in walk(application()) if role(node) == "push button"][-1]
        if last.get_parent().get_state_set().contains(Atspi.StateType.SENSITIVE):
            return
        time.sleep(0.02)
    sys.exit("the fence stays closed")


def main():
    if sys.argv[1] == "tree":
        print("\n".join(line(node) for node in walk(application())))
    elif sys.argv[1] == "where":
        box = find(*sys.argv[2:]).get_extents(Atspi.CoordType.SCREEN)
        print(box.x + box.width // 2, box.y + box.height // 2)
    elif sys.argv[1] == "press":
        done = find(*sys.argv[2:]).do_action(0)
        print(done)
        sys.exit(not done)
    elif sys.argv[1] == "open":
        wait_open()


main()
