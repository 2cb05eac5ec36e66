/*
 * A stream that carries a file, or a folder with all that is in it, between a box and the host. A
 * format of our own and not tar, as a box may have no tar, and all that tar can say and this cannot
 * (devices, owners, set-user-ID, paths) would have to be refused. libc only.
 *
 * The stream consists of records: a header, then LENGTH bytes. Numbers have the machine's byte
 * order. The first entry is the top, whose name the receiver chooses.
 *
 *   FILE    body: name. Then DATA in ascending order, and END with the size: holes are not sent.
 *   FOLDER  body: name. Then its entries, and END.
 *   LINK    body: name, NUL, target.
 *   NOTE    body: text about something that is left out.
 *   FAILED  body: text; the last record.
 *   DONE    the last record.
 *
 * A receiver answers with NOTEs, and FAILED or DONE. Each side takes the other for hostile.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum tree_record {
    TREE_FILE = 1,
    TREE_FOLDER,
    TREE_LINK,
    TREE_DATA,
    TREE_END,
    TREE_NOTE,
    TREE_FAILED,
    TREE_DONE,
};

#define TREE_NAME_MAX 255
#define TREE_TARGET_MAX 4095
#define TREE_TEXT_MAX 1024
#define TREE_DATA_MAX (1u << 18)
/* Folders in each other. Each needs a descriptor of both sides. */
#define TREE_DEPTH_MAX 256
/* More notes than this are counted, and not shown. */
#define TREE_NOTES_MAX 20

struct tree_header {
    uint32_t type;   /* enum tree_record */
    uint32_t length; /* bytes that follow */
    uint32_t mode;   /* FILE, FOLDER: permissions; the rest is ignored */
    uint32_t nanoseconds;
    int64_t seconds; /* FILE, FOLDER: time of the last change */
    uint64_t offset; /* DATA: place in the file. END of a file: its size */
};

/* What has come, to tell what may come next. All zero at first. */
struct tree_state {
    int depth;     /* folders that are open */
    int in_file;   /* a file is open */
    int has_top;   /* the top has begun */
    uint64_t at;   /* end of the file's data */
    int has_ended; /* DONE or FAILED */
};

/* Whether a record with this HEADER may come, and notes it. 0, or -1: the stream is wrong. */
int tree_check_header(struct tree_state *self, const struct tree_header *header);
/*
 * Whether the BODY of a record may be that of HEADER, which tree_check_header() has accepted as one
 * IN_TOP (the first entry, whose name may be empty) or not. For LINK, *TARGET is where its target
 * begins. BODY has a NUL after its last byte. 0, or -1.
 */
int tree_check_body(const struct tree_header *header, const char *body, int in_top,
                    const char **target);

/* TRUE for a name of an entry: no "/", not "", "." or "..". LENGTH bytes. */
int tree_name_is_valid(const char *name, size_t length);

/* Writes and reads whole. 0, or -1 with errno (0: the stream has ended). */
int tree_write(int fd, const void *data, size_t length);
int tree_read(int fd, void *data, size_t length);
/* Writes a record with TEXT, cut. 0, or -1 with errno. */
int tree_write_text(int fd, enum tree_record type, const char *text);

/* tree_receive.c: the receiver of a tree, from a sender that may be hostile. libc
 * only. */

struct tree_receiver {
    int folder;       /* where the top is made, */
    const char *name; /* under this name */
    int any_links;    /* also links that lead out of the tree */
    /* Whether PATH, from the top's name on, is wanted; a folder that is not goes with all that is
     * in it. NULL: all is. */
    int (*wants)(void *data, const char *path);
    /* Whether nobody else may write the file PATH. Under any other name they could open it, and go
     * on writing when it has that one. NULL: none is. */
    int (*is_protected)(void *data, const char *path);
    /* Something is left out; TEXT is hostile. */
    void (*note)(void *data, const char *text);
    void *data;
};

/*
 * Reads a tree from IN and makes it. Follows no link, and names no file outside of the tree: each
 * entry is made by its name alone in a folder that is open. Never makes a device or anything with
 * set-user-ID. An existing folder is filled; an existing file is replaced when the new one is
 * complete; what else exists is an error. 0, or -1 with a message of at most TREE_TEXT_MAX bytes,
 * hostile, in ERROR; a file that is not complete is removed then.
 */
int tree_receive(int in, const struct tree_receiver *to, char *error);

/*
 * Whether the link with TARGET, in a folder that is DEPTH folders below the one which holds the
 * top, stays in the tree, whatever the other links are: its ".." lead no higher than the top, and
 * none comes after a name, which could be a link. 1 or 0.
 */
int tree_link_stays(const char *target, int depth);

/* tree_send.c: the sender of a tree. libc only. */

/*
 * Writes the file or folder NAME in the folder DIRFD to OUT, then DONE, or FAILED. Follows a
 * symbolic link that NAME itself is only with FOLLOW; those in the folder are sent as links.
 * What is neither file, folder nor link, or cannot be read, is left out with a NOTE. 0; -1 when
 * the other end has gone (errno EPIPE) or FAILED was sent.
 */
int tree_send(int out, int dirfd, const char *name, int follow);
