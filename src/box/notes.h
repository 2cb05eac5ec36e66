/*
 * What `box` is about to do with a container, in the box's runtime folder: for the next `box` when
 * this one is killed, whose request Podman goes on with. The next start sees that to its end before
 * it removes the note.
 */
#pragma once

#include "box/registry.h"

/* The box is being stopped: a client that still found its socket would be cut off. */
#define NOTE_ENDING "ending"
/* Its container is being removed. */
#define NOTE_REMOVING "removing"
/* It is being started. */
#define NOTE_STARTING "starting"

/* Does nothing when the disk is full: then only what NOTE is there for is lost. */
void note_make(const box *self, const char *note);
gboolean note_is_there(const box *self, const char *note);
void note_remove(const box *self, const char *note);
