#!/usr/bin/env bats
# What passes the filter of a terminal passes whole, at once and in bounded memory; each of its keys decides about its own
# sequences alone (invariants 7, 8, 9).
# shellcheck disable=SC1003,SC2154 # "\\" at the end of a string is the end of a sequence; others set these
# shellcheck disable=SC2086 # $how is an option, or none

load escape.bash
load ../ui/display.bash
load ../lib/tmux.bash
load terminal.bash

setup_file() { session_setup_file; }
teardown_file() { box_teardown; }
setup() { escape_setup; }
teardown() {
    tmux_end
    session_teardown
}

# sample NAME SIZE: about so many bytes of one kind, whole sequences and characters, the same each time.
sample() {
    python3 - "$1" "$2" <<'PY'
import base64, random, sys
kind, size = sys.argv[1], int(sys.argv[2])
rng = random.Random(1)
out = sys.stdout.buffer
ranges = [(0x20, 0x7e), (0xa0, 0x17f), (0x400, 0x45f), (0xe01, 0xe3a), (0x4e00, 0x9fff), (0xd000, 0xd7a3),
          (0xe000, 0xfffd), (0x1f300, 0x1f64f), (0x10fff0, 0x10ffff)]
if kind == "utf8":
    text = "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(size // 3))
    out.write(text.encode())
elif kind == "sixel":
    out.write(b"\x1bP0;1;0q\"1;1;%d;60" % (size // 10))
    for colour in range(10):
        line = bytes(rng.randint(0x3f, 0x7e) for _ in range(size // 10))
        out.write(b"#%d;2;%d;50;50#%d" % (colour, colour * 10, colour) + line + b"-\n")
    out.write(b"\x1b\\")
elif kind == "kitty":
    data = base64.b64encode(rng.randbytes(size * 3 // 4))
    parts = [data[i:i + 4096] for i in range(0, len(data), 4096)]
    for i, part in enumerate(parts):
        first = b"f=100,a=T," if i == 0 else b""
        out.write(b"\x1b_G" + first + b"m=%d;" % (i < len(parts) - 1) + part + b"\x1b\\")
elif kind == "iterm":
    out.write(b"\x1b]1337;File=inline=1;size=%d:" % size + base64.b64encode(rng.randbytes(size * 3 // 4)) + b"\a")
PY
}

# raw_session FILE STEP: shows FILE in pieces of STEP bytes, byte for byte.
pieces='stty raw 2>/dev/null; python3 -c "
import os, sys
data = open(sys.argv[1], \"rb\").read()
step = int(sys.argv[2])
for at in range(0, len(data), step):
    piece = data[at:at + step]
    while piece:
        piece = piece[os.write(1, piece):]
" "$0" "$1"'

@test "terminal text: UTF-8 of many alphabets, sixel, and kitty's and iTerm2's images pass byte for byte, however divided" {
    local kind step how
    for kind in utf8 sixel kitty iterm; do
        sample "$kind" 300000 >input
        for step in 7 4095 100000; do
            for how in -t -T; do
                on_terminal box run $how -- sh -c "$pieces" input "$step" >"$TEST_HOME/shown"
                # Without -t it is the user's terminal that writes a line feed as two characters.
                tr -d '\r' <"$TEST_HOME/shown" | head -c "$(stat -c %s input)" | cmp - input ||
                    fail "$kind in steps of $step, $how"
            done
        done
    done
}

@test "terminal text: images and titles stream: the first part is shown before the last one has come" {
    local begin
    for begin in '\033Pq#0;2;0;0;0#0!9~' '\033_Gf=100,a=T;iVBORw0KGgo=' '\033]1337;File=inline=1:QUJD' '\033]0;half a title'; do
        session -t "printf '$begin'"
        # shellcheck disable=SC2059 # a format
        eventually has_shown "$(printf "$begin")"
        session_ends
    done
}

@test "terminal text: endless sequences and strings are dropped in bounded memory, and what follows is shown (9)" {
    local before begin
    for begin in '\033[' '\033]0;t\a\033]52;c;' '\033P1$r' '\033_x' '\033^' '\033X' '\033]8;id=' '\033!' '\033]1337;File=name='; do
        session -t "stty raw; echo begin; until [ -e fill ]; do sleep 0.1; done; printf '$begin'
            head -c 20000000 /dev/zero | tr '\\0' '!'; printf '\\030\\033\\\\ready'"
        eventually has_shown begin
        before=$(most_memory "$client")
        touch fill
        eventually has_shown ready
        [ $(($(most_memory "$client") - before)) -lt 2000 ] || fail "$begin: $before $(most_memory "$client")"
        [ "$(stat -c %s "$shown")" -lt 1000 ] || fail "$begin: $(head -c 300 "$shown" | cat -v)"
        rm fill
        session_ends
    done
}

# by_key KEY SEQUENCE…: with KEY = true these pass, with false they do not, and a title, a link and an image do.
others=('\033]0;t\a' '\033]8;;https://example.org\ax\033]8;;\a' '\033Pq~\033\\')
by_key() {
    local key=$1 value sequence
    shift
    for value in true false; do
        escape_config "$(printf '[terminal]\n%s = %s' "$key" "$value")"
        box apply 2>/dev/null
        for sequence in "$@"; do
            # shellcheck disable=SC2059 # a format
            run on_terminal box run -t -- printf "$sequence"
            # shellcheck disable=SC2059
            if [ "$value" = true ]; then assert_contains "$(printf "$sequence")"; else refute_contains $'\e'; fi
        done
    done
}

@test "terminal text: titles pass by their key alone (8)" {
    by_key titles '\033]0;title\a' '\033]1;icon\033\\' '\033]2;title\033\\' '\033[22;0t' '\033[23;0t' '\033ktitle\033\\'
    # The others are not concerned.
    run on_terminal box run -t -- printf "${others[1]}${others[2]}"
    # shellcheck disable=SC2059
    assert_contains "$(printf "${others[1]}${others[2]}")"
}

@test "terminal text: notifications pass by their key alone (8)" {
    by_key notifications '\033]9;done\a' '\033]777;notify;title;text\a' '\033]99;i=1:p=title;text\033\\'
    run on_terminal box run -t -- printf "${others[0]}${others[1]}${others[2]}"
    # shellcheck disable=SC2059
    assert_contains "$(printf "${others[0]}${others[1]}${others[2]}")"
}

# never_by_key KEY TEXT: nothing of TEXT but plain text passes where KEY is allowed. In printf's format.
never_by_key() {
    escape_config "[terminal]
$1 = true"
    box apply 2>/dev/null
    run on_terminal box run -t -- printf "$2"
    refute_contains $'\e'
}

@test "terminal text: links pass by their key alone, and never to files (7, 8)" {
    by_key links '\033]8;;https://example.org\a' '\033]8;id=1;http://example.org\033\\' '\033]8;;mailto:a@example.org\a'
    never_by_key links '\033]8;;file:///etc/passwd\a\033]8;;ssh://host\a'
}

@test "terminal text: images pass by their key alone, and never those that the terminal reads from files (7, 8)" {
    by_key images '\033Pq#0;2;0;0;0#0!9~-\033\\' '\033_Ga=T;QUJD\033\\' '\033]1337;File=inline=1:QUJD\a'
    never_by_key images '\033_Gt=f,a=T;L2V0Yw==\033\\\033_Gt=s;eA==\033\\\033]1337;File=name=eA==:QUJD\a'
}

# Screens as vttest has them: what each shows must be what it shows without a box. In printf's format.
screens=(
    # cursor moves: a frame, by absolute and relative moves, and moves that the edges stop
    '\033[2J\033[H*\033[1;80H*\033[24;1H*\033[24;80H*\033[999;999Hx\033[5;5Hup\033[2A\033[10Dleft\033[99Aedge\033[12;40H\033D\033M\033Emid'
    # the alignment screen, erased in parts
    '\033#8\033[9;10H\033[1J\033[18;60H\033[0J\033[1K\033[9;10H\033[0K'
    # wrap, on and off; backspace over the edge
    '\033[3;75Hwrapped around\033[?7l\033[6;75Hnot wrapped\033[?7h\033[8;80Ha\bb\033[9;79Hxyz'
    # tab stops: cleared, set, one removed
    '\033[3g\033[1;10H\033H\033[1;30H\033H\033[1;50H\033H\033[1;30H\033[0g\033[1;1H\ta\tb\tc\033[5;1H\ttabs'
    # scrolling inside of margins, with origin mode
    '\033[5;10r\033[?6h\033[1;1Htop\033[6;1Hbottom\n\nscrolled\033M\033M\033[1;1H\033Mreverse\033[?6l\033[r\033[20;1Hout'
    # insert and delete characters and lines; insert mode
    '\033[2;1HABCDEFG\033[2;3H\033[2@\033[2;9H\033[2P\033[4;1Hone\r\ntwo\r\nthree\033[5;1H\033[L\033[7;1H\033[M\033[9;1Hcd\033[9;1H\033[4hab\033[4l\033[10;1Hxxxx\033[10;2H\033[2X'
    # character sets: line drawing by both ways, and back
    '\033(0lqqqk\r\nx   x\r\nmqqqj\033(B\033[5;1H\033)0\016lqk\017 plain \033(Auk\033(B'
    # styles and colours of all kinds
    '\033[1mbold\033[0;4munder\033[0;7mreverse\033[0;31;42mcolour\033[0;38;5;208m256\033[0;48;2;10;20;30mrgb\033[0m\033[3;9mboth\033[mnone'
    # save and restore the cursor with its style
    '\033[10;10H\033[31m\0337\033[20;20H\033[0mthere\0338back\033[5;5H\033[s\033[22;1Hdown\033[uup'
    # the alternate screen, and what was there before
    'before\033[?1049h\033[2J\033[10;10Halternate\033[?1049l after'
    # controls in the middle of sequences; aborted and doubled ones
    'a\033[2\bCb\033[3\n;5Hc\033[12\0304Hd\033\033[8;8He\033[\0329;9Hf\033[9;\r20Hg'
    # repeat, scroll up and down
    'ab\033[5bc\r\n2\r\n3\033[2S\033[1T\033[HH'
    # wide, combining and right-to-left characters at the edge
    '\033[3;79H文字\033[5;1He\314\201a\033[6;1H\327\251\327\234\033[7;80H😀x'
    # resets: soft and hard (with origin mode the end of a session would move the cursor home)
    '\033[5;10r\033[4h\033[7m\033[!psoft\033[?7lxx\033chard'
)

# shown_in_tmux COMMAND: the screen, with its styles, when the command has printed its end; the file is its text. tmux
# tells where the cursor is when it has shown all before the question.
shown_in_tmux() {
    rm -f go "$TEST_HOME/printed"
    in_tmux "$1; bash -c \"printf '\\033[6n'; read -rs -d R\"; touch $TEST_HOME/printed; until [ -e go ]; do sleep 0.05; done"
    eventually test -e "$TEST_HOME/printed"
    tmux -S "$TMUX_SOCKET" capture-pane -p -e
    tmux -S "$TMUX_SOCKET" display-message -p '#{cursor_x} #{cursor_y} #{alternate_on} #{origin_flag} #{insert_flag} #{wrap_flag}'
    touch go
    eventually tmux_ended
    tmux_end
}

@test "terminal text: screens as vttest has them look the same with a box and without" {
    local i wanted got
    for i in "${!screens[@]}"; do
        # shellcheck disable=SC2059 # a format
        printf "${screens[i]}" >screen
        wanted=$(LC_ALL=C.UTF-8 shown_in_tmux "stty -echo; cat screen")
        got=$(LC_ALL=C.UTF-8 shown_in_tmux "stty -echo; box run -T -- cat screen")
        [[ $wanted == *[[:alpha:]]* ]] # control: something is shown
        [ "$got" = "$wanted" ] || fail "screen $i: $(diff <(cat -v <<<"$wanted") <(cat -v <<<"$got"))"
    done
}
