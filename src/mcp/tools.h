/* The tools of the server, by what they work on. */
#pragma once

#include "mcp/call.h"

/* tool_box.c: the tools status and port: what the box is and may, and ports of this machine that
 * lead into it.
 */

void tool_status_start(struct call *call);
void tool_port_start(struct call *call);

/* tool_branch.c: the tool branch: copies of the project in which a model may try things. To take
 * what is in one is the user's alone. */

/* Entries, and bytes of text, in an answer, of the tool snapshot too. */
#define DIFF_MAX 10000
#define DIFF_USUAL 1000
#define DIFF_TEXT 65536
#define DIFF_TEXT_MAX (1 << 20)
/* Bytes of JSON that are read for them. */
#define DIFF_JSON_MAX ((gsize)4 << 20)

void tool_branch_start(struct call *call);

/* tool_snapshot.c: the tool snapshot: what the box's home and project are now, kept for the user,
 * who alone goes back to it. */

/* Most that one server makes: nobody but the user drops them, and they fill the user's disk. */
#define SNAPSHOTS_MAX 32

void tool_snapshot_start(struct call *call);

/* tool_files.c: the tools read, write, edit, list and search. litterbox-files does them in the box,
 * with the rights and the mounts of a session: the host never opens a path of the project. */

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

/* tool_run.c: the tools run, output and stop: commands and code in the box, to their end or in the
 * background.
 */

/* Seconds. */
#define RUN_TIMEOUT 120
#define RUN_TIMEOUT_MAX 86400
#define OUTPUT_WAIT_MAX 60
/* Bytes. */
#define RUN_OUTPUT 65536
#define RUN_OUTPUT_MAX (1 << 20)

void tool_run_start(struct call *call);
void tool_output_start(struct call *call);
void tool_stop_start(struct call *call);

/* A new list for a tool_host; when it is freed, all commands in it end. The calls that wait for
 * them must have been dropped before. */
GPtrArray *background_list_new(void);
/* {"handle", "command", "running"} of what is in the background; a new array. */
json_t *background_json(const struct tool_host *host);
