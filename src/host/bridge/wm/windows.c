#include "host/bridge/wm/windows.h"

#include "host/bridge/wm/property.h"

static struct window windows[WINDOWS_MAX];
static unsigned count;

struct window *windows_add(xcb_window_t id)
{
    if (count == WINDOWS_MAX)
        return NULL;
    windows[count] = (struct window){.id = id};
    return &windows[count++];
}

struct window *windows_find(xcb_window_t id)
{
    for (unsigned i = 0; i < count; i++) {
        if (windows[i].id == id)
            return &windows[i];
    }
    return NULL;
}

/* In the order of their coming, which is what the list of clients is to be in. */
void windows_remove(struct window *self)
{
    count--;
    for (; self < &windows[count]; self++)
        self[0] = self[1];
}

struct window *windows_at(unsigned index)
{
    return index < count ? &windows[index] : NULL;
}

void windows_list(void)
{
    static uint32_t ids[WINDOWS_MAX];
    for (unsigned i = 0; i < count; i++)
        ids[i] = windows[i].id;
    property_write(wm.root, ATOM__NET_CLIENT_LIST, XCB_ATOM_WINDOW, ids, count);
}
