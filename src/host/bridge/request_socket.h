/*
 * Where a box's programs ask for something of the desktop. What they send is parsed here, in the
 * confined process, and no further than request.h; what is a request goes to the launcher with the
 * connection, on which it is answered.
 */
#pragma once

/* Makes the socket, when the options "open" and "notify" let anything be asked. LAUNCHER is ours.
 * 1: it is there, 0: nothing may be asked, -1: it cannot be had. */
int door_begin(int launcher);
/* Takes it away. */
void door_end(void);

/* 1 when the options let anything be asked. */
int door_is_wanted(void);
