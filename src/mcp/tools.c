#include "mcp/tools.h"
#include "box/exec/interpreter.h"
#include "mcp/tool.h"

/* A result's schema from its properties, all of which are there. */
#define OBJECT(required, ...)                                                     \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required \
    "],\"properties\":{" __VA_ARGS__ "}}"
#define ARRAY(items) "{\"type\":\"array\",\"items\":" items "}"
#define WHOLE "{\"type\":\"integer\"}"
/* Some clients know no list of types. */
#define OR_NULL(type) "{\"anyOf\":[" type ",{\"type\":\"null\"}]}"
#define WHOLE_OR_NULL OR_NULL(WHOLE)
#define TEXT "{\"type\":\"string\"}"
#define TEXT_OR_NULL OR_NULL(TEXT)
#define FLAG "{\"type\":\"boolean\"}"
#define FLAG_OR_NULL OR_NULL(FLAG)
#define TEXTS ARRAY(TEXT)
#define LIST_OR_NULL(items) OR_NULL(ARRAY(items))
#define CHOICE(words) "{\"type\":\"string\",\"enum\":[" words "]}"

/* stdout and stderr, in the order in which they came. */
#define PIECE                                                                                  \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"stream\",\"text\"],"  \
    "\"properties\":{\"stream\":" CHOICE("\"stdout\",\"stderr\"") ",\"text\":" TEXT            \
                                                                  ",\"omitted_before\":" WHOLE \
                                                                  "}}"

#define RUN_RESULT                                                                               \
    OBJECT("\"running\",\"handle\",\"status\",\"signal\",\"timed_out\",\"duration\",\"output\"," \
           "\"truncated\",\"problem\"",                                                          \
           "\"running\":" FLAG ",\"handle\":" TEXT_OR_NULL ",\"status\":" WHOLE_OR_NULL          \
           ",\"signal\":" TEXT_OR_NULL ",\"timed_out\":" FLAG                                    \
           ",\"duration\":{\"type\":\"number\"},\"output\":" ARRAY(                              \
               PIECE) ",\"truncated\":" FLAG ",\"problem\":" TEXT_OR_NULL)

#define LISTENING \
    ARRAY(OBJECT("\"port\",\"program\"", "\"port\":" WHOLE ",\"program\":" TEXT_OR_NULL))

#define CHANGE_LETTERS CHOICE("\"A\",\"D\",\"M\",\"T\"")

#define BRANCH_ROW                                                                              \
    OBJECT("\"name\",\"state\",\"began\",\"changed\",\"git\",\"commits\",\"own\"",              \
           "\"name\":" TEXT ",\"state\":" BRANCH_STATE ",\"began\":" TEXT_OR_NULL               \
           ",\"changed\":" WHOLE_OR_NULL ",\"git\":" FLAG_OR_NULL ",\"commits\":" WHOLE_OR_NULL \
           ",\"own\":" FLAG)
#define BRANCH_STATE CHOICE("\"running\",\"stopped\"")
#define BRANCH_CHANGE                                                                \
    OBJECT("\"path\",\"change\",\"size\",\"doubts\"",                                \
           "\"path\":" TEXT ",\"change\":" CHANGE_LETTERS ",\"size\":" WHOLE_OR_NULL \
           ",\"doubts\":" TEXTS)
#define BRANCH_RESULT                                                             \
    OBJECT("\"branches\",\"changes\",\"git\",\"text\",\"truncated\"",             \
           "\"branches\":" LIST_OR_NULL(BRANCH_ROW) ",\"changes\":" LIST_OR_NULL( \
               BRANCH_CHANGE) ",\"git\":" FLAG_OR_NULL ",\"text\":" TEXT_OR_NULL  \
                              ",\"truncated\":" FLAG)

#define SNAPSHOT_ROW                                                           \
    OBJECT("\"number\",\"time\",\"reason\",\"consistent\",\"note\",\"parts\"", \
           "\"number\":" WHOLE ",\"time\":" TEXT_OR_NULL ",\"reason\":" TEXT   \
           ",\"consistent\":" FLAG ",\"note\":" TEXT_OR_NULL ",\"parts\":" TEXTS)
#define SNAPSHOT_CHANGE                                                     \
    OBJECT("\"part\",\"path\",\"change\",\"kind\"",                         \
           "\"part\":" TEXT ",\"path\":" TEXT ",\"change\":" CHANGE_LETTERS \
           ",\"kind\":" TEXT_OR_NULL)
#define SNAPSHOT_RESULT                                                              \
    OBJECT("\"snapshots\",\"changes\",\"truncated\"",                                \
           "\"snapshots\":" LIST_OR_NULL(SNAPSHOT_ROW) ",\"changes\":" LIST_OR_NULL( \
               SNAPSHOT_CHANGE) ",\"truncated\":" FLAG)

static const tool_field run_fields[] = {
    {"command", FIELD_TEXT, .says = "a command line for bash (sh where there is no bash)"},
    {"code", FIELD_TEXT,
     .says = "in place of a command: code, which its interpreter reads from "
             "standard input"},
    {"language", FIELD_TEXT, .choices = INTERPRETER_LANGUAGES, .says = "of 'code'"},
    {"stdin", FIELD_TEXT, .says = "what a command reads; nothing if not given"},
    {"folder", FIELD_TEXT,
     .says = "where it starts, relative to the project; the project if not "
             "given"},
    {"branch", FIELD_TEXT,
     .says = "run it in this branch (see the tool 'branch'), not in the project"},
    {"env", FIELD_TEXTS, .says = "variables to set"},
    {"timeout", FIELD_NUMBER, .least = 0.1, .most = RUN_TIMEOUT_MAX, .fallback = RUN_TIMEOUT,
     .says =
         "seconds until it is ended with all that it has started; in the background there is no "
         "limit unless one is given"},
    {"background", FIELD_FLAG,
     .says = "return at once, with a handle for 'output' and 'stop'. It ends with this server"},
    {"max_output", FIELD_WHOLE, .least = 1024, .most = RUN_OUTPUT_MAX, .fallback = RUN_OUTPUT,
     .says = "bytes of output that are kept: of more, the beginning and the end"},
    {0},
};

static const tool_field output_fields[] = {
    {"handle", FIELD_TEXT, TRUE, .says = "from 'run'"},
    {"wait", FIELD_NUMBER, .least = 0, .most = OUTPUT_WAIT_MAX,
     .says = "seconds to wait for output when there is none yet"},
    {0},
};

static const tool_field stop_fields[] = {
    {"handle", FIELD_TEXT, TRUE, .says = "from 'run'"},
    {0},
};

#define PATH_FIELD                                                                            \
    {                                                                                         \
        "path", FIELD_TEXT, TRUE, .says = "relative to the project, or absolute and below it" \
    }

static const tool_field read_fields[] = {
    PATH_FIELD,
    {"line", FIELD_WHOLE, .least = 1, .most = G_MAXINT, .fallback = 1, .says = "the first line"},
    {"lines", FIELD_WHOLE, .least = 1, .most = G_MAXINT, .fallback = 2000, .says = "how many"},
    {"max_bytes", FIELD_WHOLE, .least = 1, .most = READ_MAX, .fallback = READ_USUAL,
     .says = "most bytes of it"},
    {0},
};

static const tool_field write_fields[] = {
    PATH_FIELD,
    {"content", FIELD_TEXT, TRUE, .says = "the whole new contents"},
    {"encoding", FIELD_TEXT, .choices = "utf-8 base64", .says = "of 'content'; utf-8 if not given"},
    {0},
};

static const tool_field edit_fields[] = {
    PATH_FIELD,
    {"old", FIELD_TEXT, TRUE, .says = "the text to replace, exactly, which must occur once"},
    {"new", FIELD_TEXT, TRUE, .says = "what takes its place"},
    {"all", FIELD_FLAG, .says = "replace each place where it occurs"},
    {0},
};

static const tool_field list_fields[] = {
    {"path", FIELD_TEXT, .says = "a folder, relative to the project; the project if not given"},
    {"depth", FIELD_WHOLE, .least = 1, .most = 32, .fallback = 1,
     .says = "levels of folders; what is in .git is not listed"},
    {"pattern", FIELD_TEXT, .says = "only names that match, such as *.c"},
    {"max_entries", FIELD_WHOLE, .least = 1, .most = LIST_MAX, .fallback = 1000,
     .says = "most entries"},
    {0},
};

static const tool_field search_fields[] = {
    {"text", FIELD_TEXT, TRUE, .says = "what a line must contain"},
    {"regex", FIELD_FLAG, .says = "'text' is an extended regular expression of POSIX"},
    {"ignore_case", FIELD_FLAG, .says = "upper and lower case are the same"},
    {"path", FIELD_TEXT, .says = "a file or folder, relative to the project; all if not given"},
    {"pattern", FIELD_TEXT, .says = "only in files whose names match, such as *.c"},
    {"max_matches", FIELD_WHOLE, .least = 1, .most = SEARCH_MAX, .fallback = 100,
     .says = "most matches"},
    {0},
};

static const tool_field branch_fields[] = {
    {"action", FIELD_TEXT, TRUE, .choices = "list new diff drop",
     .says =
         "list: all branches; new: make one; diff: how one differs from the project; drop: "
         "delete one that is your own (this tool has made it, in this session or an earlier one, and "
         "the user has not worked in it), with all that is in it"},
    {"name", FIELD_TEXT,
     .says = "of the branch: a-z, 0-9, '-' and '_', the first a letter or digit; not for list"},
    {"paths", FIELD_LIST, .says = "diff: only these, relative to the project; all if not given"},
    {"format", FIELD_TEXT, .choices = "names stat patch",
     .says = "diff: names in 'changes', which is usual; lines added and removed, or a patch, in "
             "'text'"},
    {"max_changes", FIELD_WHOLE, .least = 1, .most = DIFF_MAX, .fallback = DIFF_USUAL,
     .says = "diff: most changes"},
    {"max_output", FIELD_WHOLE, .least = 1024, .most = DIFF_TEXT_MAX, .fallback = DIFF_TEXT,
     .says = "diff: most bytes of text"},
    {0},
};

static const tool_field snapshot_fields[] = {
    {"action", FIELD_TEXT, TRUE, .choices = "list create diff",
     .says = "list: all snapshots; create: make one; diff: how what is there now differs from one"},
    {"number", FIELD_WHOLE, .least = 1, .most = G_MAXINT, .says = "diff: of the snapshot"},
    {"part", FIELD_TEXT, .choices = "home project",
     .says = "create, diff: only the box's home, or the project; both if not given"},
    {"note", FIELD_TEXT, .says = "create: a text for the user"},
    {"max_changes", FIELD_WHOLE, .least = 1, .most = DIFF_MAX, .fallback = DIFF_USUAL,
     .says = "diff: most changes"},
    {0},
};

static const tool_field port_fields[] = {
    {"action", FIELD_TEXT, TRUE, .choices = "list add remove",
     .says = "list: forwards, and what listens in the box"},
    {"port", FIELD_WHOLE, .least = 1, .most = 65535, .says = "in the box"},
    {"host_port", FIELD_WHOLE, .least = 1, .most = 65535,
     .says = "of the user's machine, on 127.0.0.1; the same number if not given"},
    {0},
};

static const tool_field no_fields[] = {{0}};

const tool tools[] = {
    {"run", "Run a command or code",
     "Runs a command line, or code in a language, in the box of this project, and returns its "
     "status and output. Give either 'command', or 'code' and 'language'. What it leaves running is "
     "ended with it: use 'background' for a server.",
     run_fields, RUN_RESULT, TOOL_DESTROYS | TOOL_OUTSIDE, tool_run_start},
    {"output", "Output of a background command",
     "Returns what a background command has printed since the last call, and its status when it has "
     "ended; then its handle is forgotten.",
     output_fields, RUN_RESULT, 0, tool_output_start},
    {"stop", "Stop a background command",
     "Ends a background command (SIGTERM, and SIGKILL after 2 s) with all that it has started, and "
     "returns the rest of its output.",
     stop_fields, RUN_RESULT, TOOL_DESTROYS, tool_stop_start},
    {"read", "Read a file",
     "Returns lines of a file of the project; what is no UTF-8 text as base64.", read_fields,
     OBJECT("\"content\",\"encoding\",\"size\",\"line\",\"lines\",\"truncated\"",
            "\"content\":" TEXT ",\"encoding\":" CHOICE(
                "\"utf-8\",\"base64\"") ",\"size\":" WHOLE ",\"line\":" WHOLE ",\"lines\":" WHOLE
                                        ",\"truncated\":" FLAG),
     TOOL_READS | TOOL_REPEATS, tool_read_start},
    {"write", "Write a file",
     "Writes a whole file of the project, at once or not at all, and makes the folders that it "
     "needs.",
     write_fields, OBJECT("\"bytes\",\"created\"", "\"bytes\":" WHOLE ",\"created\":" FLAG),
     TOOL_DESTROYS | TOOL_REPEATS, tool_write_start},
    {"edit", "Edit a file", "Replaces text in a file of the project.", edit_fields,
     OBJECT("\"replaced\"", "\"replaced\":" WHOLE), TOOL_DESTROYS, tool_edit_start},
    {"list", "List files",
     "Lists files and folders of the project, sorted by name. Links are not followed.", list_fields,
     OBJECT(
         "\"entries\",\"truncated\"",
         "\"entries\":" ARRAY(OBJECT(
             "\"path\",\"type\",\"size\"",
             "\"path\":" TEXT ",\"type\":" CHOICE(
                 "\"file\",\"folder\",\"link\",\"other\"") ",\"size\":" WHOLE)) ",\"truncated\":" FLAG),
     TOOL_READS | TOOL_REPEATS, tool_list_start},
    {"search", "Search files",
     "Finds lines in the files of the project. Leaves out .git, links, and files that are no text.",
     search_fields,
     OBJECT("\"matches\",\"truncated\"",
            "\"matches\":" ARRAY(OBJECT("\"path\",\"line\",\"text\"",
                                        "\"path\":" TEXT ",\"line\":" WHOLE
                                        ",\"text\":" TEXT)) ",\"truncated\":" FLAG),
     TOOL_READS | TOOL_REPEATS, tool_search_start},
    {"branch", "Branches of the project",
     "A branch is a copy of the project, made at once, with a git repository of its own, in which "
     "things can be tried: nothing of it reaches the project until the user takes it, by 'box "
     "branch take NAME' in a terminal. To work in one, give its name to 'run' as 'branch': paths "
     "are the same there. The tools for files work in the project itself.",
     branch_fields, BRANCH_RESULT, TOOL_DESTROYS, tool_branch_start},
    {"snapshot", "Snapshots of the box",
     "A snapshot keeps what the box's home and the project (without .git) are now, for the user, "
     "who alone can go back to it, by 'box snapshot restore NUMBER' in a terminal.",
     snapshot_fields, SNAPSHOT_RESULT, 0, tool_snapshot_start},
    {"port", "Forward a port",
     "Makes a port of the box reachable on 127.0.0.1 of the user's machine until the box stops, or "
     "ends that.",
     port_fields,
     OBJECT("\"forwards\",\"listening\"",
            "\"forwards\":" ARRAY(OBJECT("\"host_ip\",\"host_port\",\"box_port\",\"open\"",
                                         "\"host_ip\":" TEXT ",\"host_port\":" WHOLE
                                         ",\"box_port\":" WHOLE
                                         ",\"open\":" FLAG)) ",\"listening\":" LISTENING),
     TOOL_OUTSIDE | TOOL_REPEATS, tool_port_start},
    {"status", "Status of the box",
     "Says what the box is and what it may: its network, what is protected, hidden or read-only, its "
     "limits, and what runs in the background.",
     no_fields,
     OBJECT(
         "\"box\",\"project\",\"state\",\"network\",\"project_mode\",\"protected\",\"hidden\","
         "\"limits\",\"listening\",\"background\"",
         "\"box\":" TEXT ",\"project\":" TEXT
         ",\"state\":" CHOICE("\"running\",\"stopped\",\"paused\"") ",\"network\":" OBJECT(
             "\"mode\",\"allow\",\"deny\"",
             "\"mode\":" TEXT ",\"allow\":" TEXTS
             ",\"deny\":" TEXTS) ",\"project_mode\":" TEXT ",\"protected\":" TEXTS
                                 ",\"hidden\":" TEXTS ",\"limits\":" OBJECT(
                                     "\"memory\",\"pids\"",
                                     "\"memory\":" WHOLE_OR_NULL
                                     ",\"pids\":" WHOLE_OR_NULL) ",\"listening\":" LISTENING
                                                                 ",\"background\":" ARRAY(OBJECT(
                                                                     "\"handle\",\"command\",\"running\"",
                                                                     "\"handle\":" TEXT
                                                                     ",\"command\":" TEXT
                                                                     ",\"running\":" FLAG))),
     TOOL_READS | TOOL_REPEATS, tool_status_start},
    {0},
};
