/* The rows of the table; each is defined in the file of its name. */
#pragma once

#include "box/command.h"

extern const command command_agent, command_app, command_apply, command_build, command_completion,
    command_prune, command_stats, command_config, command_device, command_doctor, command_edit,
    command_image, command_init, command_enter, command_help, command_keys, command_list,
    command_logs, command_plan, command_port, command_restart, command_rm, command_run,
    command_shim, command_start, command_status, command_stop, command_trust;
