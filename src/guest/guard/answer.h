/* The listener's side of a held call: taking it, doing it, answering it. */
#pragma once

#include "guest/guard/request.h"

/* Kernels may make the structure larger; they say by how much, and this is far beyond. */
union guard_held {
    struct seccomp_notif notice;
    char room[512];
};

/* Once for each listener. */
void guard_answer_prepare(int listener);
/* 0, or -1 when there is nothing to answer: the caller was killed. */
int guard_answer_receive(int listener, union guard_held *held);
/*
 * Does a held call. REQUEST knows its listener; the rest is filled. Keeps the right to look into
 * processes. 0 with *FD, what the call opened, or -1; or the errno that the call gets.
 */
int guard_answer_find(struct guard_request *request, const struct seccomp_notif *notice, int *fd);
/* What guard_answer_find() found, to the caller, who may call again before this returns. */
void guard_answer_give(const struct guard_request *request, int error, int fd);
