/*
 * Notes of `box` to the next one, in the box's runtime folder. Most are of what it is about to do
 * with a container, should it be killed while Podman goes on with the request: the next start sees
 * that to its end before it removes the note.
 */
#pragma once

#include "box/registry/registry.h"

/* The box is being stopped: a client that still found its socket would be cut off. */
#define NOTE_ENDING "ending"
/* Its container is being removed. */
#define NOTE_REMOVING "removing"
/* It is being started. */
#define NOTE_STARTING "starting"
/* The compositor has no security contexts, and the user has been told so. */
#define NOTE_NO_WINDOWS "no-windows"
/* There is no X server for it, and the user has been told so. */
#define NOTE_NO_X11 "no-x11"
/* This machine has no sound server, and the user has been told so. Outlives the box's run. */
#define NOTE_NO_SOUND "no-sound"
/* The box may not open the GPU of its plan, and the user has been told so. Likewise. */
#define NOTE_GPU_RIGHTS "gpu-rights"

/* Does nothing when the disk is full: then only what NOTE is there for is lost. */
void note_make(const box *self, const char *note);
gboolean note_is_there(const box *self, const char *note);
void note_remove(const box *self, const char *note);
