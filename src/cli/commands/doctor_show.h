/* What `box doctor` and `box agent doctor` print of their findings. */
#pragma once

#include <jansson.h>

#include "doctor/doctor.h"

/* A list of {"id", "level", "what", "fix"}. */
json_t *doctor_show_json(const GPtrArray *report);
/* A line, and one with the fix. */
void doctor_show_finding(const doctor_finding *finding);
