# What keeping a box's home costs, beside a plain copy of it. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # project, medians, at_most, compare

# A home of a GiB: files that compress like programs and sources, half of them small.
snapshots_fill() {
    python3 - "$1" <<'P'
import os, random, sys
random.seed(1)
words = [random.randbytes(random.randint(2, 12)) for _ in range(4000)]
size = number = 0
while size < 1 << 30:
    folder = f"{sys.argv[1]}/{number % 40}/{number % 23}"
    os.makedirs(folder, exist_ok=True)
    wanted = random.randint(500, 40000) if number % 2 else random.randint(40000, 400000)
    text = b"".join(random.choices(words, k=wanted // 7))
    with open(f"{folder}/{number}", "wb") as out:
        out.write(text)
    size += len(text)
    number += 1
P
}

snapshots() {
    local m home=$data/boxes/shop/home
    snapshots_fill "$home/many"
    # Without snapshots there is no content in the store either.
    cat >"$work/fresh" <<S
#!/bin/sh
for number in \$(box snapshot list --json | jq -r '.[].number'); do box snapshot drop --yes "\$number" 2>/dev/null; done
rm -rf $work/copy
S
    chmod +x "$work/fresh"
    mapfile -t m < <(medians 3 "$work/fresh" 'box snapshot create --home' "cp -a --reflink=auto $home $work/copy")
    at_most snapshot-first-of-1GiB-ms 5000 "${m[0]}"
    compare snapshot-first-vs-cp - "${m[0]}" "${m[1]}"
    # A file that changed within a minute before it was read is read again, as its time would not tell of another change.
    sleep 61
    box snapshot create --home >/dev/null 2>&1
    mapfile -t m < <(medians 5 "" 'box snapshot create --home')
    at_most snapshot-next-of-1GiB-ms 500 "${m[0]}"
    "$work/fresh"
    rm -rf "$home/many"
}
