# A second ordinary user of the machine, whom only the lab has.
# shellcheck shell=bash

need_other_user() {
    [ -n "${LAB_OTHER:-}" ] || skip "needs the lab, which has a second user"
}

# as_other COMMAND…: runs it as the second user, in that user's home, with nothing of the caller's but the programs.
as_other() {
    local id
    id=$(id -u "$LAB_OTHER") || return
    # shellcheck disable=SC2016 # the other user's shell expands these
    su "$LAB_OTHER" -s /bin/bash -c 'cd && exec env -i "$@"' -- as_other HOME="/home/$LAB_OTHER" USER="$LAB_OTHER" \
        LOGNAME="$LAB_OTHER" LANG=C.UTF-8 PATH="$PATH" XDG_RUNTIME_DIR="/run/user/$id" "$@" </dev/null
}
