/* The two data-control protocols' interfaces, for libwayland, and the numbers of their requests. */
#pragma once

#include <wayland-client-core.h>

enum { MANAGER_SOURCE, MANAGER_DEVICE };
enum { DEVICE_SET, DEVICE_DESTROY };
enum { SOURCE_OFFER, SOURCE_DESTROY };
enum { OFFER_RECEIVE, OFFER_DESTROY };

/* The managers: of ext and of wlr; all else has the same numbers in both. */
extern const struct wl_interface data_control_managers[2];
extern const struct wl_interface data_control_device, data_control_source, data_control_offer;
