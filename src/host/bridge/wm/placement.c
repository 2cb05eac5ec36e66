#include "host/bridge/wm/placement.h"

#include "host/bridge/wm/focus.h"

int placement_fills_screen(const struct window *self)
{
    unsigned both = STATE_HORZ | STATE_VERT;
    return (self->kind == KIND_NORMAL && !self->is_fixed) || (self->state & STATE_FULLSCREEN) ||
           (self->state & both) == both;
}

static int clamp(int value, int low, int high)
{
    if (value > high)
        value = high;
    return value < low ? low : value;
}

/* The synthetic ConfigureNotify of ICCCM 4.1.5. */
static void send_configure_notify(const struct window *self, const struct rect *at)
{
    xcb_configure_notify_event_t message = {
        .response_type = XCB_CONFIGURE_NOTIFY,
        .event = self->id,
        .window = self->id,
        .x = (int16_t)at->x,
        .y = (int16_t)at->y,
        .width = (uint16_t)at->width,
        .height = (uint16_t)at->height,
    };
    xcb_send_event(wm.x, 0, self->id, XCB_EVENT_MASK_STRUCTURE_NOTIFY, (const char *)&message);
}

void placement_apply(const struct window *self)
{
    struct rect at = {0, 0, wm.width, wm.height};
    if (!placement_fills_screen(self)) {
        at.width = clamp(self->floating.width, 1, wm.width);
        at.height = clamp(self->floating.height, 1, wm.height);
        at.x = clamp(self->floating.x, 0, wm.width - at.width);
        at.y = clamp(self->floating.y, 0, wm.height - at.height);
    }
    const uint32_t values[] = {(uint32_t)at.x, (uint32_t)at.y, (uint32_t)at.width,
                               (uint32_t)at.height, 0};
    xcb_configure_window(wm.x, self->id,
                         XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                             XCB_CONFIG_WINDOW_HEIGHT | XCB_CONFIG_WINDOW_BORDER_WIDTH,
                         values);
    send_configure_notify(self, &at);
}

void placement_apply_new(struct window *self)
{
    if (self->floating.x == 0 && self->floating.y == 0) {
        self->floating.x = (wm.width - self->floating.width) / 2;
        self->floating.y = (wm.height - self->floating.height) / 2;
    }
    placement_apply(self);
}

void placement_apply_all(void)
{
    struct window *each;
    for (unsigned i = 0; (each = windows_at(i)); i++)
        placement_apply(each);
}

/* A window that is not managed (yet) gets what it asks for. */
static void configure_unmanaged(const xcb_configure_request_event_t *asked)
{
    uint32_t values[7];
    unsigned count = 0;
    const struct {
        unsigned bit;
        uint32_t value;
    } parts[] = {
        {XCB_CONFIG_WINDOW_X, (uint32_t)asked->x},
        {XCB_CONFIG_WINDOW_Y, (uint32_t)asked->y},
        {XCB_CONFIG_WINDOW_WIDTH, asked->width},
        {XCB_CONFIG_WINDOW_HEIGHT, asked->height},
        {XCB_CONFIG_WINDOW_BORDER_WIDTH, asked->border_width},
        {XCB_CONFIG_WINDOW_SIBLING, asked->sibling},
        {XCB_CONFIG_WINDOW_STACK_MODE, asked->stack_mode},
    };
    uint16_t mask = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!(asked->value_mask & parts[i].bit))
            continue;
        mask |= (uint16_t)parts[i].bit;
        values[count++] = parts[i].value;
    }
    xcb_configure_window(wm.x, asked->window, mask, values);
}

void placement_configure(const xcb_configure_request_event_t *asked)
{
    struct window *self = windows_find(asked->window);
    if (!self) {
        configure_unmanaged(asked);
        return;
    }
    if (asked->value_mask & XCB_CONFIG_WINDOW_X)
        self->floating.x = asked->x;
    if (asked->value_mask & XCB_CONFIG_WINDOW_Y)
        self->floating.y = asked->y;
    if (asked->value_mask & XCB_CONFIG_WINDOW_WIDTH)
        self->floating.width = asked->width;
    if (asked->value_mask & XCB_CONFIG_WINDOW_HEIGHT)
        self->floating.height = asked->height;
    if ((asked->value_mask & XCB_CONFIG_WINDOW_STACK_MODE) &&
        asked->stack_mode == XCB_STACK_MODE_ABOVE)
        focus_raise(self->id);
    placement_apply(self);
}
