# The /etc of a run: the root's own, with the differences that a run needs in a layer over it. Sourced, never run.
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with those who source it

etc_prepare() { # ROOT
    local etc=$1/etc
    mkdir "$lab_run/etc"
    mount -t tmpfs -o mode=755 tmpfs "$lab_run/etc"
    mkdir "$lab_run/etc/upper" "$lab_run/etc/work"
    # The layer is a tmpfs, since overlayfs cannot have its upper folder on another overlayfs, which is
    # what / is on many CI machines.
    mount -t overlay -o "lowerdir=$etc,upperdir=$lab_run/etc/upper,workdir=$lab_run/etc/work" overlay "$etc"
    etc_accounts "$etc"
    etc_containers "$etc"
    printf '[safe]\n\tdirectory = %s\n' "$lab_checkout" >>"$etc/gitconfig" # root's, read by the user
    # Where Podman looks for what vendors' devices consist of: a test is the vendor.
    install -d -o "$lab_uid" -g "$lab_uid" "$etc/cdi"
    [ -z "$lab_tree" ] || etc_like_the_machine "$etc"
    chown "$lab_uid" "$etc/hosts" # a test names its servers
}

etc_accounts() { # ETC
    local etc=$1 file
    for file in passwd group; do
        awk -F: -v one="$lab_uid" -v other="$lab_other_uid" '$3 != one && $3 != other' "/etc/$file" >"$etc/$file.new"
    done
    cp "$etc/shadow" "$etc/shadow.new"
    chmod 640 "$etc/shadow.new"
    # "*", not "!": sshd takes "!" for a locked account. Nothing: `su` asks for no password.
    etc_account "$etc" "$lab_user" "$lab_uid" "$lab_home" '*'
    etc_account "$etc" "$lab_other" "$lab_other_uid" "$lab_other_home" ''
    echo "$lab_group:x:$lab_gid:$lab_user" >>"$etc/group.new"
    for file in passwd group shadow; do
        mv "$etc/$file.new" "$etc/$file"
    done
    for file in subuid subgid; do
        printf '%s\n' "$lab_user:$lab_subid_first:$lab_subid_count" \
            "$lab_other:$lab_other_subid_first:$lab_subid_count" >"$etc/$file"
    done
}

etc_account() { # ETC NAME ID HOME PASSWORD
    local etc=$1 name=$2 id=$3 home=$4 password=$5 file
    for file in passwd group shadow; do
        sed -i "/^$name:/d" "$etc/$file.new"
    done
    echo "$name:x:$id:$id::$home:/bin/bash" >>"$etc/passwd.new"
    echo "$name:x:$id:" >>"$etc/group.new"
    echo "$name:$password:19000:0:99999:7:::" >>"$etc/shadow.new"
}

etc_containers() { # ETC
    local containers=$1/containers
    rm -rf "$containers"
    mkdir "$containers"
    # Neither systemd nor its journal is there.
    cat >"$containers/containers.conf" <<-END
		[containers]
		log_driver = "k8s-file"
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		# As the command has it (view): conmon starts "podman container cleanup".
		conmon_env_vars = ["GOGC=400"]
	END
    # Left alone, Podman 4.3.1 picks vfs here, and copies the whole image at each start.
    cat >"$containers/storage.conf" <<-END
		[storage]
		driver = "overlay"
		# Root's, which an ordinary user does not use; without them Podman 4.3.1 fails to commit.
		runroot = "/run/containers/storage"
		graphroot = "/var/lib/containers/storage"
	END
    # The kernel's overlayfs cannot have its upper folder on another overlayfs, FUSE's can. Podman 5 does not
    # think of it for rootfs_overlay, though.
    if [ "$(stat -f -c %T "$lab_run")" = overlayfs ]; then
        say "$lab is on overlayfs: set LITTERBOX_LAB to a folder on a disk, or some containers will not start"
        printf '[storage.options.overlay]\nmount_program = "/usr/bin/fuse-overlayfs"\n' >>"$containers/storage.conf"
    fi
    echo 'unqualified-search-registries = []' >"$containers/registries.conf"
    echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$containers/policy.json"
}

# The Debian 13 tree reaches the network as the machine does.
etc_like_the_machine() { # ETC
    local etc=$1 file
    cp /etc/hosts "$etc/hosts"
    for file in auth.conf auth.conf.d; do
        [ ! -e "/etc/apt/$file" ] || cp -rT "/etc/apt/$file" "$etc/apt/$file"
    done
    [ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp /etc/ssl/certs/ca-certificates.crt "$etc/ssl/certs/"
}

# resolv.conf is often a link into /run, which is private by now.
etc_resolver() { # ROOT
    local root=$1
    rm -f "$root/etc/resolv.conf"
    cat /etc/resolv.conf >"$root/etc/resolv.conf"
    if [ "$lab_net" = own ]; then # the machine's server may be a 127.0.0.53, and that is another one in here
        sed -i "/^nameserver/d" "$root/etc/resolv.conf"
        echo "nameserver $lab_net_dns" >>"$root/etc/resolv.conf"
    elif [ -d /run/systemd/resolve ]; then # where Podman looks for the true servers behind 127.0.0.53
        mkdir -p "$root/run/systemd/resolve"
        cp /run/systemd/resolve/*.conf "$root/run/systemd/resolve/"
    fi
}
