/* What the files of checks share. */
#pragma once

#include "doctor/doctor.h"

/* The command that installs PACKAGE here, or a sentence where it is not known. A new string. */
char *doctor_install(const doctor_facts *facts, const char *package);

/* doctor_say with a formatted WHAT and a constant FIX, which may be NULL. */
void doctor_say_what(GPtrArray *report, const char *id, doctor_level level, const char *fix,
                     const char *format, ...) G_GNUC_PRINTF(5, 6);
