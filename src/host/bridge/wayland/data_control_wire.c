#include "host/bridge/wayland/data_control_wire.h"

#include <stddef.h>
#include <wayland-client-protocol.h>

static const struct wl_interface *none[] = {NULL, NULL};
static const struct wl_interface *source_type[] = {&data_control_source};
static const struct wl_interface *offer_type[] = {&data_control_offer};
static const struct wl_interface *device_types[] = {&data_control_device, &wl_seat_interface};

static const struct wl_message manager_requests[] = {
    {"create_data_source", "n", source_type},
    {"get_data_device", "no", device_types},
    {"destroy", "", none},
};
static const struct wl_message device_requests[] = {
    {"set_selection", "?o", source_type},
    {"destroy", "", none},
    {"set_primary_selection", "?o", source_type},
};
static const struct wl_message device_events[] = {
    {"data_offer", "n", offer_type},
    {"selection", "?o", offer_type},
    {"finished", "", none},
    {"primary_selection", "?o", offer_type},
};
static const struct wl_message source_requests[] = {{"offer", "s", none}, {"destroy", "", none}};
static const struct wl_message source_events[] = {{"send", "sh", none}, {"cancelled", "", none}};
static const struct wl_message offer_requests[] = {{"receive", "sh", none}, {"destroy", "", none}};
static const struct wl_message offer_events[] = {{"offer", "s", none}};

const struct wl_interface data_control_managers[2] = {
    {"ext_data_control_manager_v1", 1, 3, manager_requests, 0, NULL},
    {"zwlr_data_control_manager_v1", 1, 3, manager_requests, 0, NULL},
};
const struct wl_interface data_control_device = {
    "ext_data_control_device_v1", 1, 3, device_requests, 4, device_events};
const struct wl_interface data_control_source = {
    "ext_data_control_source_v1", 1, 2, source_requests, 2, source_events};
const struct wl_interface data_control_offer = {
    "ext_data_control_offer_v1", 1, 2, offer_requests, 1, offer_events};
