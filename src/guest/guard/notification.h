/* A held call as seccomp_unotify(2) has it: received, done, and answered. */
#pragma once

#include "guest/guard/request.h"

/* Kernels may make the structure larger; they say by how much, and this is far beyond. */
union guard_notification {
    struct seccomp_notif notice;
    char room[512];
};

/* Once for each listener. */
void guard_notification_prepare(int listener);
/*
 * Waits for the next call. 0; -1 with errno: EINTR after a signal, ENOENT when its caller was
 * killed or nobody is left who could call.
 */
int guard_notification_receive(int listener, union guard_notification *held);
/* Does the call and answers it. REQUEST has what stays the same for all calls of this worker. */
void guard_notification_answer(struct guard_request *request, int listener,
                               const struct seccomp_notif *notice);
