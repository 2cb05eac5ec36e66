"""Logs in with a key of the SSH agent through an SSH library other than OpenSSH, and prints the output
of the command "echo logged-in".

ssh_clients.py LIBRARY HOST PORT USER"""
import ctypes
import sys

COMMAND = "echo logged-in"


def with_paramiko(host, port, user):
    import paramiko
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect(host, port, user, look_for_keys=False)
    print(client.exec_command(COMMAND)[1].read().decode(), end="")
    client.close()


def with_asyncssh(host, port, user):
    import asyncio
    import asyncssh

    async def run():
        async with asyncssh.connect(host, port, username=user, known_hosts=None, config=[]) as connection:
            print((await connection.run(COMMAND, check=True)).stdout, end="")

    asyncio.run(run())


def with_libssh(host, port, user):
    ssh = ctypes.CDLL("libssh.so.4")
    for name in "ssh_new", "ssh_channel_new":
        getattr(ssh, name).restype = ctypes.c_void_p
    ssh.ssh_get_error.restype = ctypes.c_char_p
    session = ctypes.c_void_p(ssh.ssh_new())

    def done(result, what):
        if result != 0:
            sys.exit(f"{what}: {ssh.ssh_get_error(session).decode()}")

    for option, value in (0, host), (2, str(port)), (4, user):  # SSH_OPTIONS_HOST, _PORT_STR, _USER
        done(ssh.ssh_options_set(session, option, value.encode()), "options")
    done(ssh.ssh_connect(session), "connect")
    done(ssh.ssh_userauth_agent(session, None), "agent")
    channel = ctypes.c_void_p(ssh.ssh_channel_new(session))
    done(ssh.ssh_channel_open_session(channel), "channel")
    done(ssh.ssh_channel_request_exec(channel, COMMAND.encode()), "command")
    out = ctypes.create_string_buffer(100)
    length = ssh.ssh_channel_read(channel, out, ctypes.c_uint32(len(out)), 0)
    print(out.raw[:max(length, 0)].decode(), end="")
    ssh.ssh_disconnect(session)


if __name__ == "__main__":
    globals()["with_" + sys.argv[1]](sys.argv[2], int(sys.argv[3]), sys.argv[4])
