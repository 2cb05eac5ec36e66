#include "host/bridge/wm/place.h"

#include "host/bridge/wm/focus.h"

int place_fills(const struct window *self)
{
    unsigned both = STATE_HORZ | STATE_VERT;
    return (self->kind == KIND_NORMAL && !self->is_fixed) || (self->state & STATE_FULLSCREEN) ||
           (self->state & both) == both;
}

static int within(int value, int low, int high)
{
    if (value > high)
        value = high;
    return value < low ? low : value;
}

/* Programs that are moved without being resized hear of it from nobody but us. */
static void tell(const struct window *self, const struct rect *at)
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

void place(const struct window *self)
{
    struct rect at = {0, 0, wm.width, wm.height};
    if (!place_fills(self)) {
        at.width = within(self->own.width, 1, wm.width);
        at.height = within(self->own.height, 1, wm.height);
        at.x = within(self->own.x, 0, wm.width - at.width);
        at.y = within(self->own.y, 0, wm.height - at.height);
    }
    const uint32_t values[] = {(uint32_t)at.x, (uint32_t)at.y, (uint32_t)at.width,
                               (uint32_t)at.height, 0};
    xcb_configure_window(wm.x, self->id,
                         XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                             XCB_CONFIG_WINDOW_HEIGHT | XCB_CONFIG_WINDOW_BORDER_WIDTH,
                         values);
    tell(self, &at);
}

void place_new(struct window *self)
{
    if (self->own.x == 0 && self->own.y == 0) {
        self->own.x = (wm.width - self->own.width) / 2;
        self->own.y = (wm.height - self->own.height) / 2;
    }
    place(self);
}

void place_all(void)
{
    struct window *each;
    for (unsigned i = 0; (each = windows_at(i)); i++)
        place(each);
}

/* One that is not managed, as it is not seen yet. */
static void pass_on(const xcb_configure_request_event_t *wish)
{
    uint32_t values[7];
    unsigned count = 0;
    const struct {
        unsigned bit;
        uint32_t value;
    } parts[] = {
        {XCB_CONFIG_WINDOW_X, (uint32_t)wish->x},
        {XCB_CONFIG_WINDOW_Y, (uint32_t)wish->y},
        {XCB_CONFIG_WINDOW_WIDTH, wish->width},
        {XCB_CONFIG_WINDOW_HEIGHT, wish->height},
        {XCB_CONFIG_WINDOW_BORDER_WIDTH, wish->border_width},
        {XCB_CONFIG_WINDOW_SIBLING, wish->sibling},
        {XCB_CONFIG_WINDOW_STACK_MODE, wish->stack_mode},
    };
    uint16_t mask = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!(wish->value_mask & parts[i].bit))
            continue;
        mask |= (uint16_t)parts[i].bit;
        values[count++] = parts[i].value;
    }
    xcb_configure_window(wm.x, wish->window, mask, values);
}

void place_asked(const xcb_configure_request_event_t *wish)
{
    struct window *self = windows_find(wish->window);
    if (!self) {
        pass_on(wish);
        return;
    }
    if (wish->value_mask & XCB_CONFIG_WINDOW_X)
        self->own.x = wish->x;
    if (wish->value_mask & XCB_CONFIG_WINDOW_Y)
        self->own.y = wish->y;
    if (wish->value_mask & XCB_CONFIG_WINDOW_WIDTH)
        self->own.width = wish->width;
    if (wish->value_mask & XCB_CONFIG_WINDOW_HEIGHT)
        self->own.height = wish->height;
    if ((wish->value_mask & XCB_CONFIG_WINDOW_STACK_MODE) &&
        wish->stack_mode == XCB_STACK_MODE_ABOVE)
        focus_raise(self->id);
    place(self);
}
