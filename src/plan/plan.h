/*
 * From settings to Podman's create request: a pure function of settings and facts.
 *
 * plan_facts is everything that has to be looked up on the machine (the user, the project's files,
 * what /etc holds, Podman's version); plan_facts_collect looks, plan_request computes. So a test can
 * hold any plan against any machine.
 */
#pragma once

#include <jansson.h>

#include "box/registry.h"
#include "config/settings.h"

