/* The rows of the table; each is defined in the file of its name. */
#pragma once

#include "box/command.h"

extern const command command_enter, command_run, command_start, command_stop, command_restart,
    command_list, command_status, command_rm, command_help;
