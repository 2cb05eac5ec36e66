/* The listener's side of a held call: taking it, doing it, answering it. */
#pragma once

#include "init/reserve_request.h"

/* Kernels may make the structure larger; they say by how much, and this is far beyond. */
union reserve_held {
    struct seccomp_notif notice;
    char room[512];
};

/* Once for each listener. */
void reserve_answer_prepare(int listener);
/* 0, or -1 when there is nothing to answer: the caller was killed. */
int reserve_answer_receive(int listener, union reserve_held *held);
/* REQUEST knows its listener; the rest is filled. Keeps the right to look into processes. */
void reserve_answer(struct reserve_request *request, const struct seccomp_notif *notice);
