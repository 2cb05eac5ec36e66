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
    at_spi.py serve ORDERS DONE SAID
        Does these until it is ended, as a start costs more than an order. ORDERS and DONE are FIFOs. A line of ORDERS
        is PROMPT_PID and the words above, each with a tab behind it. What it prints goes to the file SAID, which is
        there as soon as orders can be given, and then its exit status and an error to DONE.

PROMPT_PID in the environment: only the prompt with this process ID counts.

Speaks AT-SPI's own protocol (xml/ of at-spi2-core): one call gets the whole tree, where libatspi makes some for each widget.
"""
import contextlib
import os
import sys
import time

from gi.repository import Gio, GLib

TIMEOUT_S = 45
CALL_TIMEOUT_MS = 5000
POLL_INTERVAL_S = 0.1
ACCESSIBLE = "org.a11y.atspi.Accessible"
ROOT = "/org/a11y/atspi/accessible/root"
# atspi-constants.h
ACTIVE, CHECKED, FOCUSED, SENSITIVE = 1, 4, 12, 24
STATES = {"sensitive": SENSITIVE, "focused": FOCUSED, "focusable": 11, "showing": 25, "default": 39}
PUSH_BUTTON = 43


def connect():
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    address = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None,
                                Gio.DBusCallFlags.NONE, CALL_TIMEOUT_MS, None).unpack()[0]
    flags = Gio.DBusConnectionFlags
    return Gio.DBusConnection.new_for_address_sync(
        address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)


bus = connect()
role_names = {PUSH_BUTTON: "push button"}  # newer versions of AT-SPI call it a button


def call(target, face, method, parameters=None):
    """TARGET: a program's name on the bus, and a path of its."""
    return bus.call_sync(*target, face, method, parameters, None, Gio.DBusCallFlags.NONE, CALL_TIMEOUT_MS, None).unpack()


def has_bit(words, state):
    return bool(words[state // 32] >> state % 32 & 1)


class Node:
    """A widget as it was when the tree was read."""

    def __init__(self, item):
        (self.target, _, self.parent, self.index, _, _, self.name, self.role, self.description, self.states) = item
        self.children = []

    def has(self, state):
        return has_bit(self.states, state)

    def has_now(self, state):
        return has_bit(call(self.target, ACCESSIBLE, "GetState")[0], state)

    def role_name(self):
        if self.role not in role_names:
            role_names[self.role] = call(self.target, ACCESSIBLE, "GetRoleName")[0]
        return role_names[self.role]

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def line(self):
        shown = ",".join(name for name, state in STATES.items() if self.has(state))
        return "|".join((self.role_name(), self.name, self.description, shown))


def find_program(wanted):
    for target in call(("org.a11y.atspi.Registry", ROOT), ACCESSIBLE, "GetChildren")[0]:
        pid = call(("org.freedesktop.DBus", "/"), "org.freedesktop.DBus", "GetConnectionUnixProcessID",
                   GLib.Variant("(s)", target[:1]))[0] if wanted else 0
        name = GLib.Variant("(ss)", (ACCESSIBLE, "Name"))
        if pid == wanted and call(target, "org.freedesktop.DBus.Properties", "Get", name)[0] == "litterbox-prompt":
            return target
    raise LookupError(wanted)


# Programs tell of their whole trees only while somebody listens to an event, as each screen reader does.
call(("org.a11y.atspi.Registry", "/org/a11y/atspi/registry"), "org.a11y.atspi.Registry", "RegisterEvent",
     GLib.Variant("(sass)", ("window:activate", [], "")))


class Condition:
    """One of NODES has STATE; or, if not WANTED, none has."""

    def __init__(self, nodes, state, wanted=True):
        self.nodes, self.state, self.wanted = nodes, state, wanted

    def held(self):
        return any(node.has(self.state) for node in self.nodes) == self.wanted

    def may_hold_now(self):
        """Whether a new tree is worth it: also where this one has no such nodes."""
        return not self.nodes or any(node.has_now(self.state) for node in self.nodes) == self.wanted


class Tree:
    """Of the prompt with process ID WANTED, or of any if that is 0. LookupError without one that has a window."""

    def __init__(self, wanted):
        program = find_program(wanted)
        items = call((program[0], "/org/a11y/atspi/cache"), "org.a11y.atspi.Cache", "GetItems")[0]
        nodes = {node.target: node for node in map(Node, items)}
        # Those without an index are scroll bars, the last in their scroll pane.
        for node in sorted(nodes.values(), key=lambda node: node.index % 2**32):
            if node.parent in nodes:
                nodes[node.parent].children.append(node)
        self.program = nodes[program]
        self.window = self.program.children[0]
        # GTK gives the title bar the last index, and yet comes to it first.
        self.window.children = [nodes[each] for each in call(self.window.target, ACCESSIBLE, "GetChildren")[0]]
        self.all = list(self.window.walk())
        self.parents = {child.target: nodes[child.parent] for child in self.all}

    def find(self, wanted, name):
        for node in self.all:
            if node.role_name() == wanted and node.name == name:
                return node
        sys.exit(f"no {wanted} is called {name!r}")

    def condition(self, text):
        if text in ("active", "inactive"):
            return Condition([self.window], ACTIVE, text == "active")
        if text == "open":
            # The button that allows may be insensitive for other reasons, so the box around it is looked at.
            last = [node for node in self.all if node.role == PUSH_BUTTON][-1]
            return Condition([self.parents[last.target]], SENSITIVE)
        prefix, _, name = text.partition(":")
        state = {"checked": CHECKED, "sensitive": SENSITIVE}.get(prefix)
        if not state:
            name, state = text, FOCUSED
        return Condition([node for node in self.all if node.name == name], state)


def eventually(attempt, what):
    """The first true value of ATTEMPT, which is repeated, also where the tree changes while it is read."""
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        with contextlib.suppress(GLib.Error, LookupError):
            if value := attempt():
                return value
        time.sleep(POLL_INTERVAL_S)
    sys.exit(f"not within {TIMEOUT_S} s: {what}")


def tree(prompt):
    return eventually(lambda: Tree(prompt), "litterbox-prompt is on the accessibility bus")


def show(prompt):
    print("\n".join(node.line() for node in tree(prompt).program.walk()))


def wait(prompt, *texts):
    missing, looks = [], 0

    def hold():
        # All at once in a new tree. What was missing in the last one is asked for by itself first, which is one call for
        # each; but not forever, and not after an error, as the tree may have changed.
        nonlocal missing, looks
        asked, missing, looks = missing, [], looks + 1
        if asked and looks % 20 and not all(each.may_hold_now() for each in asked):
            missing = asked
            return False
        missing = [each for each in map(Tree(prompt).condition, texts) if not each.held()]
        return not missing

    eventually(hold, "the prompt is " + " and ".join(texts))


def where(prompt, wanted, name):
    on_screen = GLib.Variant("(u)", (0,))
    target = tree(prompt).find(wanted, name).target
    x, y, width, height = call(target, "org.a11y.atspi.Component", "GetExtents", on_screen)[0]
    print(x + width // 2, y + height // 2)


def press(prompt, wanted, name):
    first = GLib.Variant("(i)", (0,))
    if not call(tree(prompt).find(wanted, name).target, "org.a11y.atspi.Action", "DoAction", first)[0]:
        sys.exit(f"{name!r} cannot be pressed")


def obey(prompt, command, *arguments):
    {"tree": show, "wait": wait, "where": where, "press": press}[command](int(prompt or 0), *arguments)


def serve(orders, done, said):
    # Opened for reading and writing: no side waits for the other to open them, and there is no end of file.
    with open(os.open(orders, os.O_RDWR)) as lines, os.fdopen(os.open(done, os.O_RDWR), "w", buffering=1) as replies:
        open(said, "w").close()
        for line in lines:
            error = ""
            with open(said, "w") as output, contextlib.redirect_stdout(output):
                try:
                    obey(*line.rstrip("\n").split("\t")[:-1])
                except (GLib.Error, SystemExit) as end:
                    error = str(end)
            print(int(bool(error)), error, file=replies)


if sys.argv[1] == "serve":
    serve(*sys.argv[2:])
else:
    obey(os.environ.get("PROMPT_PID"), *sys.argv[1:])
