# The question about a picture on the clipboard, and what may be there. Source it after ask.bash; needs host_copy TYPE
# (from stdin).
# shellcheck shell=bash disable=SC2154 # ask.bash sets asking

# picture FILE [BYTES]: writes a PNG of noise, with a comment and, in an unknown chunk, as many bytes as that.
picture() {
    python3 - "$@" <<'END'
import os, struct, sys, zlib
def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
rows = b"".join(b"\0" + os.urandom(3 * 40) for _ in range(40))
begin = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 40, 8, 2, 0, 0, 0))
end = chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")
extra = os.urandom(int(sys.argv[2])) if len(sys.argv) > 2 else b"x"
with open(sys.argv[1], "wb") as file:
    file.write(begin + chunk(b"tEXt", b"Author\0u@example.com") + chunk(b"eXIf", b"somewhere") + chunk(b"prVt", extra) + end)
with open(sys.argv[1] + ".clean", "wb") as file:
    file.write(begin + end)
END
}

# allow: clicks as soon as approvals count.
allow() {
    accepting
    at_spi press "push button" "Allow once"
}

# says WORDS: the window does, and stays; nothing was given or answered.
window_says() {
    at_spi tree | grep -qF "label|$1"
}
keeps_it() { # WORDS
    eventually window_says "$1" || { at_spi tree >&2; return 1; }
    still_asking
    [ ! -s given ]
}

gives_picture() {
    picture copied.png
    host_copy image/png <copied.png
    ask paste
    allow
    expect 0 '{"answer":"once"}'
    # Without what the file says about its author.
    cmp given copied.png.clean
}

keeps_all_else() {
    printf 'hunter2' | host_copy text/plain
    ask paste
    allow
    keeps_it "There is no picture on your clipboard."
    # What only says that it is one, or has something behind it.
    printf '\x89PNG\r\n\x1a\nno' | host_copy image/png
    allow
    keeps_it "What you have copied is not a whole picture"
    # Between two that the same is said of, so that what is seen is said of the second.
    picture large.png $((16 << 20))
    host_copy image/png <large.png
    allow
    keeps_it "The picture that you have copied is larger than 16 MiB."
    picture copied.png
    { cat copied.png; echo hidden; } | host_copy image/png
    allow
    keeps_it "What you have copied is not a whole picture"
    # Another one can be copied while the window waits.
    host_copy image/png <copied.png
    allow
    expect 0 '{"answer":"once"}'
    cmp given copied.png.clean
}
