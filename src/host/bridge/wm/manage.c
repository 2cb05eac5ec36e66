#include "host/bridge/wm/wm.h"

#include <stdlib.h>

/* Whether the window is to be as large as the screen. */
static int placement_fills_screen(const struct window *self)
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

/* Moves and resizes the window, and tells its program. */
static void placement_apply(const struct window *self)
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

/* The same for a new window: one without a position is centred. */
static void placement_apply_new(struct window *self)
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

/* Atoms of a list that are read. */
#define LIST_MAX 16
/* Words of WM_NORMAL_HINTS (ICCCM 4.1.2.3). */
enum { HINT_FLAGS = 0, HINT_MAX_WIDTH = 7, HINT_MAX_HEIGHT = 8, N_HINTS = 9 };
#define HINT_HAS_MAX 0x20
/* Values of WM_STATE. */
enum { WITHDRAWN = 0, NORMAL = 1 };

static const struct {
    enum wm_atom atom;
    enum window_kind kind;
} types[] = {
    {ATOM__NET_WM_WINDOW_TYPE_NORMAL, KIND_NORMAL},
    {ATOM__NET_WM_WINDOW_TYPE_DIALOG, KIND_DIALOG},
    {ATOM__NET_WM_WINDOW_TYPE_UTILITY, KIND_UTILITY},
    {ATOM__NET_WM_WINDOW_TYPE_TOOLBAR, KIND_UTILITY},
    {ATOM__NET_WM_WINDOW_TYPE_MENU, KIND_UTILITY},
    {ATOM__NET_WM_WINDOW_TYPE_SPLASH, KIND_UNFOCUSED},
    {ATOM__NET_WM_WINDOW_TYPE_DOCK, KIND_UNFOCUSED},
    {ATOM__NET_WM_WINDOW_TYPE_DESKTOP, KIND_UNFOCUSED},
    {ATOM__NET_WM_WINDOW_TYPE_NOTIFICATION, KIND_UNFOCUSED},
    {ATOM__NET_WM_WINDOW_TYPE_TOOLTIP, KIND_UNFOCUSED},
    {ATOM__NET_WM_WINDOW_TYPE_POPUP_MENU, KIND_UNFOCUSED},
    {ATOM__NET_WM_WINDOW_TYPE_DROPDOWN_MENU, KIND_UNFOCUSED},
    {ATOM__NET_WM_WINDOW_TYPE_COMBO, KIND_UNFOCUSED},
};

static const struct {
    enum wm_atom atom;
    unsigned state;
} states[] = {
    {ATOM__NET_WM_STATE_FULLSCREEN, STATE_FULLSCREEN},
    {ATOM__NET_WM_STATE_MAXIMIZED_HORZ, STATE_HORZ},
    {ATOM__NET_WM_STATE_MAXIMIZED_VERT, STATE_VERT},
    {ATOM__NET_WM_STATE_MODAL, STATE_MODAL},
};

#define N_TYPES (sizeof types / sizeof *types)
#define N_STATES (sizeof states / sizeof *states)

/* The first known type counts. A window without a type, or a normal one, is a dialog if it has an
 * owner. */
static enum window_kind read_kind(const struct window *self)
{
    enum window_kind usual = self->owner ? KIND_DIALOG : KIND_NORMAL;
    uint32_t atoms[LIST_MAX];
    unsigned count =
        property_read(self->id, wm.atoms[ATOM__NET_WM_WINDOW_TYPE], XCB_ATOM_ATOM, atoms, LIST_MAX);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned type = 0; type < N_TYPES; type++) {
            if (atoms[i] == wm.atoms[types[type].atom])
                return types[type].kind == KIND_NORMAL ? usual : types[type].kind;
        }
    }
    return usual;
}

static unsigned state_of(xcb_atom_t atom)
{
    for (unsigned i = 0; i < N_STATES; i++) {
        if (atom == wm.atoms[states[i].atom])
            return states[i].state;
    }
    return 0;
}

static unsigned read_state(xcb_window_t id)
{
    uint32_t atoms[LIST_MAX];
    unsigned state = 0, count = property_read(id, wm.atoms[ATOM__NET_WM_STATE], XCB_ATOM_ATOM,
                                              atoms, LIST_MAX);
    for (unsigned i = 0; i < count; i++)
        state |= state_of(atoms[i]);
    return state;
}

/* Whether its largest size is smaller than the screen in one direction. */
static int is_fixed(xcb_window_t id)
{
    uint32_t hints[N_HINTS];
    unsigned count =
        property_read(id, XCB_ATOM_WM_NORMAL_HINTS, XCB_ATOM_WM_SIZE_HINTS, hints, N_HINTS);
    if (count < N_HINTS || !(hints[HINT_FLAGS] & HINT_HAS_MAX))
        return 0;
    int width = (int)hints[HINT_MAX_WIDTH], height = (int)hints[HINT_MAX_HEIGHT];
    return (width > 0 && width < wm.width) || (height > 0 && height < wm.height);
}

static void write_state(const struct window *self)
{
    uint32_t atoms[N_STATES];
    unsigned count = 0;
    for (unsigned i = 0; i < N_STATES; i++) {
        if (self->state & states[i].state)
            atoms[count++] = wm.atoms[states[i].atom];
    }
    property_write(self->id, ATOM__NET_WM_STATE, XCB_ATOM_ATOM, atoms, count);
}

/* WM_STATE: STATE is NORMAL or WITHDRAWN, and there is no icon window (ICCCM 4.1.3.1). */
static void write_wm_state(xcb_window_t id, uint32_t state)
{
    const uint32_t value[] = {state, XCB_NONE};
    property_write(id, ATOM_WM_STATE, wm.atoms[ATOM_WM_STATE], value, 2);
}

void manage_frame_extents(xcb_window_t id)
{
    const uint32_t none[4] = {0};
    property_write(id, ATOM__NET_FRAME_EXTENTS, XCB_ATOM_CARDINAL, none, 4);
}

/* Reads its properties. A false one only changes where it is on the box's own screen. */
static void read_properties(struct window *self)
{
    property_read(self->id, XCB_ATOM_WM_TRANSIENT_FOR, XCB_ATOM_WINDOW, &self->owner, 1);
    self->kind = read_kind(self);
    self->state = read_state(self->id);
    self->is_fixed = is_fixed(self->id);
    if (placement_fills_screen(self) && !(self->state & STATE_FULLSCREEN))
        self->state |= STATE_HORZ | STATE_VERT;
}

/* Buttons 1 to 3 are grabbed, so that a click gives the window the keyboard; the event is replayed
 * to the program then. The wheel (4, 5) is not grabbed. */
static void select_events(xcb_window_t id)
{
    const uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_FOCUS_CHANGE;
    xcb_change_window_attributes(wm.x, id, XCB_CW_EVENT_MASK, &events);
    for (unsigned button = XCB_BUTTON_INDEX_1; button <= XCB_BUTTON_INDEX_3; button++)
        xcb_grab_button(wm.x, 1, id, XCB_EVENT_MASK_BUTTON_PRESS, XCB_GRAB_MODE_SYNC,
                        XCB_GRAB_MODE_ASYNC, XCB_NONE, XCB_NONE, (uint8_t)button, XCB_MOD_MASK_ANY);
}

static struct window *add(xcb_window_t id)
{
    xcb_get_geometry_cookie_t asked = xcb_get_geometry(wm.x, id);
    xcb_get_geometry_reply_t *at = xcb_get_geometry_reply(wm.x, asked, NULL);
    struct window *self = at ? windows_add(id) : NULL;
    if (self)
        self->floating = (struct rect){at->x, at->y, at->width, at->height};
    free(at);
    return self;
}

void manage_window(xcb_window_t id)
{
    /* A program can ask to map the check window. */
    if (id == wm.check)
        return;
    struct window *self = windows_find(id);
    if (!self && (self = add(id))) {
        read_properties(self);
        select_events(id);
        placement_apply_new(self);
        manage_frame_extents(id);
        write_state(self);
    }
    xcb_map_window(wm.x, id);
    if (!self)
        return;
    write_wm_state(id, NORMAL);
    windows_publish();
    focus_window(self);
}

static int is_manageable(xcb_window_t id)
{
    xcb_get_window_attributes_cookie_t asked = xcb_get_window_attributes(wm.x, id);
    xcb_get_window_attributes_reply_t *reply = xcb_get_window_attributes_reply(wm.x, asked, NULL);
    int is = reply && !reply->override_redirect && reply->map_state == XCB_MAP_STATE_VIEWABLE;
    free(reply);
    return is;
}

void manage_existing(void)
{
    xcb_query_tree_reply_t *tree = xcb_query_tree_reply(wm.x, xcb_query_tree(wm.x, wm.root), NULL);
    int count = tree ? xcb_query_tree_children_length(tree) : 0;
    for (int i = 0; i < count && i < WINDOWS_MAX; i++) {
        xcb_window_t id = xcb_query_tree_children(tree)[i];
        if (is_manageable(id))
            manage_window(id);
    }
    free(tree);
}

static void unselect_events(xcb_window_t id)
{
    const uint32_t none = XCB_EVENT_MASK_NO_EVENT;
    xcb_change_window_attributes(wm.x, id, XCB_CW_EVENT_MASK, &none);
    xcb_ungrab_button(wm.x, XCB_BUTTON_INDEX_ANY, id, XCB_MOD_MASK_ANY);
}

void manage_end(xcb_window_t id)
{
    struct window *self = windows_find(id);
    if (!self)
        return;
    struct window gone = *self;
    windows_remove(self);
    unselect_events(id);
    write_wm_state(id, WITHDRAWN);
    xcb_delete_property(wm.x, id, wm.atoms[ATOM__NET_WM_STATE]);
    windows_publish();
    focus_return(&gone);
}

void manage_end_all(void)
{
    for (struct window *each; (each = windows_at(0)); windows_remove(each))
        unselect_events(each->id);
}

void manage_state(struct window *self, uint32_t action, xcb_atom_t one, xcb_atom_t other)
{
    unsigned asked = state_of(one) | state_of(other);
    if (action == 0)
        self->state &= ~asked;
    else if (action == 1)
        self->state |= asked;
    else
        self->state ^= asked;
    if (placement_fills_screen(self) && !(self->state & STATE_FULLSCREEN))
        self->state |= STATE_HORZ | STATE_VERT;
    write_state(self);
    placement_apply(self);
}
