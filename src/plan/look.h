/* Looking at the machine, for facts: each fills in its part and follows nothing a box planted. */
#pragma once

#include "plan/facts.h"

/* look_paths.c: what the project's lists and the mounts name. */
void plan_look_paths(plan_facts *self, const plan_box *box, const settings *wanted);
/* look_devices.c: what [devices] and network.tun name. */
void plan_look_devices(plan_facts *self, const settings *wanted);
/* Records what stands at FOLDER/RELATIVE and at each folder on the way, links not followed. */
void plan_look_below(plan_facts *self, const char *folder, const char *relative);
/* The same for one device; of a link also what it leads to. */
void plan_look_device(plan_facts *self, const char *device);
/* look_git.c */
void plan_look_git(plan_facts *self, const char *project);
/* look_etc.c: the host's /etc and top folders, for the host image. ROOT is "/", but in tests. */
void plan_look_host(plan_facts *self, const char *root);
/* look_toolchains.c */
void plan_look_toolchains(plan_facts *self);
/* look_appearance.c: how the user's desktop looks, and the folders that belong to it. */
void plan_look_appearance(plan_facts *self, const plan_box *box);
/* look_private.c: what no box may see, and the host's mount points. */
void plan_look_private(plan_facts *self);
