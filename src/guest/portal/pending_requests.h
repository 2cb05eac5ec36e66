/* Requests to the bridge (proto/desktop_request.h) that it has not answered yet. */
#pragma once

#include <poll.h>

#include "guest/portal/portal.h"
#include "proto/desktop_request.h"

/* Most requests at a time; the bridge accepts fewer. */
#define PENDING_REQUESTS_MAX 16
#define PENDING_REQUEST_HANDLE_MAX 512

struct pending_request {
    /* Called once with the answer, unless the request is dropped. */
    void (*done)(const struct pending_request *self, const struct desktop_answer *answer);
    struct caller caller;
    char handle[PENDING_REQUEST_HANDLE_MAX]; /* path of the portal's Request object; "": none */
    uint32_t number;                         /* of the notification */
    /* State, of this module: */
    int fd; /* 0: unused slot */
    int64_t until;
};

/* Sends TEXTS to the bridge for a copy of WHAT. When that fails, DONE is called at once. */
void pending_request_begin(const struct pending_request *what, const char *const *texts);
/* Drops the request with HANDLE that the bus name NAME began. 0, or -1: there is none. */
int pending_request_drop(const char *handle, const char *name);

/* Fills in what to wait for, at most PENDING_REQUESTS_MAX entries, and returns how many.
 * *TIMEOUT: milliseconds for poll(2), or -1. */
int pending_requests_poll(struct pollfd *polls, int *timeout);
/* After poll(2): ends the requests that are answered or have timed out. */
void pending_requests_serve(const struct pollfd *polls, int count);
