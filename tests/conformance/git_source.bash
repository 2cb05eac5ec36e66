# The source of the git that is installed, from Debian, with the helper that its tests need. Sourced.
# shellcheck shell=bash

# git_source FOLDER: puts it into FOLDER/git. Needs apt-get with the machine's mirror, dpkg-dev, tcc and zlib.
git_source() {
    local folder=$1 apt
    mkdir -p "$folder"/lists/partial || return
    git_sources_list >"$folder/sources.list" && [ -s "$folder/sources.list" ] || return
    apt=(-q -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/lists"
        -o "Dir::Cache=$folder" -o APT::Sandbox::User=)
    # shellcheck disable=SC2016 # dpkg-query expands it
    (cd "$folder" && apt-get "${apt[@]}" update &&
        apt-get "${apt[@]}" source "git=$(dpkg-query -W -f '${source:Version}' git)") &&
        mv "$folder"/git-[0-9]* "$folder/git" && git_build "$folder/git"
}

# The machine's own Debian sources, as those of source packages.
git_sources_list() {
    local name
    name=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016 # apt expands these
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk -v name="$name" '$3 ~ "^" name && $NF == "main" {
            print "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $1, $2, "main" }' | sort -u
}

# Only what the tests need beside the installed git (GIT_TEST_INSTALLED). tcc takes a sixth of gcc's time.
git_build() { # FOLDER
    # tcc cannot read libc's regex.h.
    make -s -j "$(nproc)" -C "$1" CC=tcc CFLAGS=-w NO_REGEX=1 NO_TCLTK=1 NO_GETTEXT=1 NO_CURL=1 NO_EXPAT=1 \
        NO_OPENSSL=1 t/helper/test-tool t/helper/test-fake-ssh GIT-BUILD-OPTIONS && make -s -C "$1/templates"
}
