/*
 * The sockets of the user's desktop, from the environment: compositor, sound server, D-Bus. libc
 * only.
 */
#pragma once

#include <stddef.h>

/*
 * Writes the path of the Wayland compositor's socket to PATH, of SIZE bytes. Returns 0, or -1: none
 * is named (wl_display_connect(3)), or the one that is named cannot be used. An environment may be
 * older than the desktop's session, as that of a tmux is.
 */
int desktop_wayland_socket(char *path, size_t size);

/*
 * Writes the path of the PulseAudio server's socket to PATH, of SIZE bytes. Returns 0, or -1: there
 * is none, or the server is on another machine (PULSE_SERVER in pulseaudio(1)).
 */
int desktop_sound_socket(char *path, size_t size);

/*
 * 1 when ADDRESSES (separated by ";", D-Bus Specification, "Server Addresses") has at least one
 * entry and all of them are "unix:" sockets. Other transports are refused: a client that connects
 * to "unixexec:" runs the program it names, and the environment may come from a shell in a
 * project's folder (direnv, for example).
 */
int desktop_bus_is_socket(const char *addresses);
