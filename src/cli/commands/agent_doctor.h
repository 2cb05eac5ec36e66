/* The checks of `box agent doctor`: what helps an agent in its box, or is in its way. */
#pragma once

#include "box/registry/registry.h"

/* Checks the agent NAME in SELF, and starts the program if it is installed: a report of
 * doctor/doctor.h. */
GPtrArray *agent_doctor_report(struct box *self, const char *name);
