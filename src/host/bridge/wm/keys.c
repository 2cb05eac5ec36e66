#include "host/bridge/wm/keys.h"

#include <stdlib.h>

#include "host/bridge/wm/focus.h"
#include "host/bridge/wm/wm.h"

#define ALT XCB_MOD_MASK_1
/* Caps Lock and Num Lock make no difference. */
#define LOCKS (XCB_MOD_MASK_LOCK | XCB_MOD_MASK_2)

static struct {
    xcb_keysym_t keysym;
    void (*act)(void);
    xcb_keycode_t code; /* 0: the keyboard has none */
} keys[] = {{0xff09 /* Tab */, focus_cycle, 0}, {0xffc1 /* F4 */, focus_close, 0}};

#define N_KEYS (sizeof keys / sizeof *keys)

static int are_stale;

static void find_codes(const xcb_get_keyboard_mapping_reply_t *map, int first)
{
    int each = map->keysyms_per_keycode;
    int count = each ? xcb_get_keyboard_mapping_keysyms_length(map) / each : 0;
    const xcb_keysym_t *keysyms = xcb_get_keyboard_mapping_keysyms(map);
    for (unsigned key = 0; key < N_KEYS; key++) {
        keys[key].code = 0;
        for (int i = 0; i < count && !keys[key].code; i++) {
            if (keysyms[i * each] == keys[key].keysym)
                keys[key].code = (xcb_keycode_t)(first + i);
        }
    }
}

static void read_codes(void)
{
    const xcb_setup_t *setup = xcb_get_setup(wm.x);
    uint8_t count = (uint8_t)(setup->max_keycode - setup->min_keycode + 1);
    xcb_get_keyboard_mapping_cookie_t asked =
        xcb_get_keyboard_mapping(wm.x, setup->min_keycode, count);
    xcb_get_keyboard_mapping_reply_t *map = xcb_get_keyboard_mapping_reply(wm.x, asked, NULL);
    if (map)
        find_codes(map, setup->min_keycode);
    free(map);
}

void keys_grab(void)
{
    are_stale = 0;
    read_codes();
    for (unsigned key = 0; key < N_KEYS; key++) {
        for (unsigned locks = 0; keys[key].code && locks <= LOCKS; locks++) {
            if ((locks & ~(unsigned)LOCKS) == 0)
                xcb_grab_key(wm.x, 1, wm.root, (uint16_t)(ALT | locks), keys[key].code,
                             XCB_GRAB_MODE_ASYNC, XCB_GRAB_MODE_ASYNC);
        }
    }
}

void keys_ungrab(void)
{
    xcb_ungrab_key(wm.x, XCB_GRAB_ANY, wm.root, XCB_MOD_MASK_ANY);
}

void keys_pressed(const xcb_key_press_event_t *event)
{
    for (unsigned key = 0; key < N_KEYS; key++) {
        if (event->detail && event->detail == keys[key].code)
            keys[key].act();
    }
}

void keys_changed(const xcb_mapping_notify_event_t *event)
{
    if (event->request == XCB_MAPPING_KEYBOARD)
        are_stale = 1;
}

void keys_settle(void)
{
    if (!are_stale)
        return;
    keys_ungrab();
    keys_grab();
}
