/*
 * The socket on which programs in the box ask for something of the desktop
 * (proto/desktop_request.h).
 *
 * The bridge, which is confined, accepts connections and parses each request. It passes a valid
 * one, with its connection, to the launcher: a process that is forked before the bridge gives up
 * its rights. The launcher checks the settings and the rate limits itself, as the bridge may be in
 * the box's hands, and starts one litterbox-desktop-helper for each request, which answers on the
 * connection. It takes no program name and no option from the bridge.
 */
#pragma once

/* 1 when the settings allow any request. */
int desktop_requests_are_allowed(void);

/* Forks the launcher. Returns the bridge's end of a socket to it, or -1. */
int desktop_requests_start_launcher(void);

/*
 * Listens on the socket when the settings allow any request. LAUNCHER is taken over. 1: it listens;
 * 0: nothing is allowed; -1: it failed.
 */
int desktop_requests_begin(int launcher);
/* Removes the socket. */
void desktop_requests_end(void);
