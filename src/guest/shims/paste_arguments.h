/*
 * What an AI agent in a terminal asks of wl-paste or xclip when its user pastes a picture. Anything
 * else that these programs can do is for the image's own. libc only.
 */
#pragma once

enum paste_request {
    PASTE_OTHER,   /* not for us */
    PASTE_TYPES,   /* which types there are */
    PASTE_PICTURE, /* the picture, as PNG */
};

/* ARGV: NULL-terminated, with the name of the program first. */
enum paste_request paste_request_wl_paste(char *const *argv);
enum paste_request paste_request_xclip(char *const *argv);
