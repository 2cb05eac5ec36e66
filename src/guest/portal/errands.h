/* What the bridge was asked for and has not answered yet. */
#pragma once

#include <poll.h>

#include "guest/portal/reply.h"
#include "proto/desktop_ask.h"

/* At a time; the bridge has room for fewer. */
#define ERRANDS_MAX 16
#define ERRAND_HANDLE_MAX 512

struct errand {
    /* How it went; for each that is begun and not dropped, once. */
    void (*done)(const struct errand *self, const struct ask_answer *answer);
    struct caller caller;
    char handle[ERRAND_HANDLE_MAX]; /* path of the portal's request; "" for none */
    uint32_t number;                /* of the notification */
    /* errands.c alone. */
    int fd; /* 0: free */
    int64_t until;
};

/* Asks the bridge for TEXTS (proto/desktop_ask.h), on behalf of a copy of WHAT. */
void errand_begin(const struct errand *what, const char *const *texts);
/* Forgets the one of HANDLE that the caller NAME began. 0, or -1: there is none. */
int errand_drop(const char *handle, const char *name);

/* Fills in what to wait for, at most ERRANDS_MAX; how many. *PATIENCE: milliseconds, or -1. */
int errands_poll(struct pollfd *polls, int *patience);
/* After poll(2): those that are answered, or have waited too long, are done. */
void errands_serve(const struct pollfd *polls, int count);
