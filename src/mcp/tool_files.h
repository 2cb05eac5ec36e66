/* The tools read, write, edit, list and search. litterbox-files does them in the box, with the
 * rights and the mounts of a session: the host never opens a path of the project. */
#pragma once

#include "mcp/call.h"

/* Most bytes of a file's contents in an answer, and how many when none are asked for; entries;
 * matches. */
#define READ_MAX (1 << 20)
#define READ_USUAL (1 << 18)
#define LIST_MAX 10000
#define SEARCH_MAX 2000

void tool_read_start(struct call *call);
void tool_write_start(struct call *call);
void tool_edit_start(struct call *call);
void tool_list_start(struct call *call);
void tool_search_start(struct call *call);
