#include "mcp/server.h"

#include "cli/commands/command.h"
#include "cli/commands/project.h"

static int run_mcp(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_REGISTER, error);
    return self ? mcp_serve(self, error) : -1;
}

const struct command command_mcp = {
    .name = "mcp",
    .group = GROUP_WORK,
    .operands = "[PROJECT]",
    .summary = "give the box of a project to an AI agent as tools (MCP)",
    .details =
        "A server of the Model Context Protocol on standard input and output: an MCP client starts\n"
        "it, and its model runs commands and code in the box and works on the project's files.\n"
        "For example: claude mcp add box -- box mcp",
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run_mcp,
};
