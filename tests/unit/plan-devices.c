/* Devices in a plan: of the configuration, and of `box device add`. */
#include "plan-madeup.h"

#include "plan/look.h"

static void device(madeup *self, const char *path, plan_kind kind, guint major, guint minor)
{
    plan_path *added = plan_facts_add(self->facts, path, kind, NULL);
    added->major = major;
    added->minor = minor;
}

static void devices(void)
{
    g_auto(madeup) m;
    madeup_init(&m);
    m.wanted->network.tun = TRUE;
    set_list(&m.wanted->devices, "/dev/kvm,nvidia.com/gpu=all,/dev/ttyUSB0:/dev/board:r");
    device(&m, "/dev/kvm", PLAN_CHARACTER, 10, 232);
    device(&m, "/dev/net/tun", PLAN_CHARACTER, 10, 200);
    device(&m, "/dev/ttyUSB0", PLAN_CHARACTER, 188, 0);
    json_t *list = json_object_get(make(&m), "devices");
    g_assert_cmpuint(json_array_size(list), ==, 4);
    g_assert_cmpstr(text(json_array_get(list, 2), "path"), ==, "/dev/ttyUSB0:/dev/board:r");
    g_assert_cmpstr(text(json_array_get(list, 3), "path"), ==, "/dev/net/tun");
    g_assert_true(warned(&m, "not restricted to 'r'"));
    set_list(&m.wanted->devices, "/dev/net/tun,/dev/kvm:rw,/dev/kvm:/dev/other");
    list = json_object_get(make(&m), "devices");
    g_assert_cmpuint(json_array_size(list), ==, 3);
    g_assert_false(warned(&m, "restricted"));
}

/* By number, so that no other name helps; by name where numbers differ. */
static const struct {
    plan_kind kind;
    guint major, minor;
    const char *path, *words;
} never[] = {
    {PLAN_MISSING, 0, 0, "/dev/nothing", "not there"},
    {PLAN_OTHER, 0, 0, "/dev/shm", "is no device"},
    {PLAN_LINK, 0, 0, "/dev/cdrom", "is a link"},
    {PLAN_BLOCK, 8, 0, "/dev/sda", "is a disk"},
    {PLAN_CHARACTER, 1, 1, "/dev/mem", "memory"},
    {PLAN_CHARACTER, 1, 1, "/dev/harmless", "memory"},
    {PLAN_CHARACTER, 1, 4, "/dev/port", "memory"},
    {PLAN_CHARACTER, 1, 11, "/dev/kmsg", "log"},
    {PLAN_CHARACTER, 4, 1, "/dev/tty1", "console"},
    {PLAN_CHARACTER, 5, 1, "/dev/console", "terminal"},
    {PLAN_CHARACTER, 7, 1, "/dev/vcs1", "console"},
    {PLAN_CHARACTER, 10, 223, "/dev/uinput", "could type"},
    {PLAN_CHARACTER, 10, 239, "/dev/uhid", "could type"},
    {PLAN_CHARACTER, 13, 64, "/dev/input/event0", "input device"},
    {PLAN_CHARACTER, 240, 64, "/dev/input/new", "input device"},
    {PLAN_CHARACTER, 244, 0, "/dev/hidraw0", "keyboard"},
    {PLAN_CHARACTER, 21, 0, "/dev/sg0", "disk"},
    {PLAN_CHARACTER, 29, 0, "/dev/fb0", "picture"},
    {PLAN_CHARACTER, 136, 0, "/dev/pts/0", "terminal"},
    {PLAN_CHARACTER, 189, 4, "/dev/bus/usb/001/005", "security key"},
    {PLAN_CHARACTER, 189, 4, "/dev/probe", "security key"},
    {PLAN_CHARACTER, 180, 96, "/dev/usb/hiddev0", "keyboard"},
    {PLAN_CHARACTER, 246, 0, "/dev/usbmon0", "what you type"},
    {PLAN_CHARACTER, 253, 0, "/dev/tpmrm0", "keys"},
    {PLAN_CHARACTER, 242, 0, "/dev/nvme0", "disk"},
    {PLAN_CHARACTER, 241, 0, "/dev/ng0n1", "disk"},
    {PLAN_CHARACTER, 247, 0, "/dev/bsg/scsi", "disk"},
};

static void devices_that_are_refused(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(never); i++) {
        g_auto(madeup) m;
        madeup_init(&m);
        g_autofree char *renamed = g_strconcat(never[i].path, ":/dev/null:rwm", NULL);
        device(&m, never[i].path, never[i].kind, never[i].major, never[i].minor);
        set_list(&m.wanted->devices, never[i].path);
        refused(&m, never[i].words);
        set_list(&m.wanted->devices, renamed);
        refused(&m, never[i].words);
    }
    g_auto(madeup) m;
    madeup_init(&m);
    m.wanted->network.tun = TRUE;
    refused(&m, "network.tun: '/dev/net/tun' is not there");
}

static void added(madeup *self, const char *source, const char *target)
{
    if (!self->wanted->added_devices)
        self->wanted->added_devices =
            g_ptr_array_new_with_free_func((GDestroyNotify)settings_device_free);
    g_ptr_array_add(self->wanted->added_devices, settings_device_new(source, target));
}

static const char *device_at(const json_t *request, gsize i)
{
    return text(json_array_get(json_object_get(request, "devices"), i), "path");
}

/* Followed to the node of today; what is away or refused is left out and said, and no error. */
static void devices_that_were_added(void)
{
    g_auto(madeup) m;
    madeup_init(&m);
    m.wanted->network.tun = TRUE;
    set_list(&m.wanted->devices, "/dev/kvm,/dev/zero:/dev/taken:rwm");
    device(&m, "/dev/kvm", PLAN_CHARACTER, 10, 232);
    device(&m, "/dev/zero", PLAN_CHARACTER, 1, 5);
    device(&m, "/dev/net/tun", PLAN_CHARACTER, 10, 200);
    device(&m, "/dev/ttyUSB3", PLAN_CHARACTER, 188, 3);
    device(&m, "/dev/input/event1", PLAN_CHARACTER, 13, 65);
    device(&m, "/dev/a:b", PLAN_CHARACTER, 188, 4);
    plan_facts_add(m.facts, "/dev/serial/by-id/board", PLAN_LINK, "/dev/ttyUSB3");
    plan_facts_add(m.facts, "/dev/serial/by-id/keyboard", PLAN_LINK, "/dev/input/event1");
    plan_facts_add(m.facts, "/dev/serial/by-id/gone", PLAN_LINK, NULL);
    plan_facts_add(m.facts, "/dev/shm/planted", PLAN_LINK, "/dev/ttyUSB3");
    added(&m, "/dev/serial/by-id/board", "/dev/ttyUSB0");
    added(&m, "/dev/serial/by-id/keyboard", "/dev/x");
    added(&m, "/dev/serial/by-id/gone", "/dev/y");
    added(&m, "/dev/missing", "/dev/missing");
    added(&m, "/dev/shm/planted", "/dev/z");
    added(&m, "/dev/a:b", "/dev/a");
    added(&m, "/dev/kvm", "/dev/kvm");   /* the configuration has it */
    added(&m, "/dev/kvm", "/dev/taken"); /* and this name */
    added(&m, "/dev/net/tun", "/dev/net/tun");
    json_t *request = make(&m);
    g_assert_cmpuint(json_array_size(json_object_get(request, "devices")), ==, 4);
    g_assert_cmpstr(device_at(request, 2), ==, "/dev/ttyUSB3:/dev/ttyUSB0");
    g_assert_cmpstr(device_at(request, 3), ==, "/dev/net/tun:/dev/net/tun");
    static const char *const said[] = {"is an input device", "gone' is not there",
                                       "missing' is not", "everybody may make links",
                                       "podman cannot take"};
    g_assert_cmpuint(m.plan->absent->len, ==, G_N_ELEMENTS(said));
    for (gsize i = 0; i < G_N_ELEMENTS(said); i++)
        if (!strstr(m.plan->absent->pdata[i], said[i]))
            g_error("'%s' does not say '%s'", (char *)m.plan->absent->pdata[i], said[i]);
}

/* By number, not by name; none is no reason for a word. */
static void gpus(void)
{
    g_auto(madeup) m;
    madeup_init(&m);
    g_assert_cmpuint(json_array_size(json_object_get(make(&m), "devices")), ==, 0);
    device(&m, "/dev/dri/renderD128", PLAN_CHARACTER, 226, 128);
    device(&m, "/dev/dri/renderD129", PLAN_CHARACTER, 13, 64);
    device(&m, "/dev/dri/renderD131", PLAN_BLOCK, 226, 131);
    device(&m, "/dev/dri/renderD132", PLAN_CHARACTER, 226, 132);
    device(&m, "/dev/kfd", PLAN_CHARACTER, 240, 0);
    plan_facts_add(m.facts, "/dev/dri/renderD130", PLAN_LINK, "/dev/dri/renderD128");
    m.facts->gpus =
        g_strsplit("/dev/dri/renderD128,/dev/dri/renderD129,/dev/dri/renderD130,"
                   "/dev/dri/renderD131,/dev/dri/renderD132,/dev/dri/renderD133,/dev/kfd",
                   ",", -1);
    set_list(&m.wanted->devices, "/dev/dri/renderD132");
    json_t *request = make(&m);
    g_assert_cmpuint(json_array_size(json_object_get(request, "devices")), ==, 3);
    g_assert_cmpstr(device_at(request, 0), ==, "/dev/dri/renderD132");
    g_assert_cmpstr(device_at(request, 1), ==, "/dev/dri/renderD128:/dev/dri/renderD128");
    g_assert_cmpstr(device_at(request, 2), ==, "/dev/kfd:/dev/kfd");
    g_assert_cmpuint(m.plan->absent->len, ==, 0);
}

/* The table of what is refused holds for them, too, whatever the link is called that leads there.
 */
static void added_devices_are_judged(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(never); i++) {
        g_auto(madeup) m;
        madeup_init(&m);
        device(&m, never[i].path, never[i].kind, never[i].major, never[i].minor);
        plan_facts_add(m.facts, "/dev/serial/by-id/board", PLAN_LINK, never[i].path);
        added(&m, "/dev/serial/by-id/board", "/dev/ttyUSB0");
        g_assert_cmpuint(json_array_size(json_object_get(make(&m), "devices")), ==, 0);
        g_assert_cmpuint(m.plan->absent->len, ==, 1);
        if (!strstr(m.plan->absent->pdata[0], never[i].words))
            g_error("'%s' does not say '%s'", (char *)m.plan->absent->pdata[0], never[i].words);
    }
}

static void devices_are_judged_where_they_are(void)
{
    static const struct {
        const char *path, *real, *why;
    } rows[] = {
        {"/dev/null", "/dev/null", NULL},      {"/dev/none", NULL, NULL},
        {"/dev/fd/0", "/proc/self", "no dev"}, {"/dev/shm", "/dev/shm", "no device"},
        {"/dev/stdin", "/proc/self", "no de"}, {"/dev/tty", "/dev/tty", "terminal"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *real = NULL;
        const char *why = plan_judge_device(rows[i].path, &real);
        g_assert_cmpstr(real, ==, rows[i].real);
        g_assert_true(rows[i].why ? why && strstr(why, rows[i].why) : !why);
    }
}

static void devices_are_looked_at(void)
{
    g_autoptr(plan_facts) facts = plan_facts_new();
    g_autoptr(settings) wanted = settings_new_defaults();
    set_list(&wanted->devices, "/dev/null,/dev/zero:/dev/x:r,/dev/fd,/dev/fd/0,/dev/shm,/dev/none");
    plan_look_devices(facts, wanted);
    g_assert_cmpint(plan_facts_path(facts, "/dev/null")->kind, ==, PLAN_CHARACTER);
    g_assert_cmpuint(plan_facts_path(facts, "/dev/zero")->major, ==, 1);
    g_assert_cmpuint(plan_facts_path(facts, "/dev/zero")->minor, ==, 5);
    g_assert_cmpint(plan_facts_path(facts, "/dev/fd")->kind, ==, PLAN_LINK);
    g_assert_cmpint(plan_facts_path(facts, "/dev/fd/0")->kind, ==, PLAN_LINK);
    g_assert_cmpint(plan_facts_path(facts, "/dev/shm")->kind, ==, PLAN_OTHER);
    g_assert_cmpint(plan_facts_path(facts, "/dev/none")->kind, ==, PLAN_MISSING);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan-devices/configured", devices);
    g_test_add_func("/plan-devices/refused", devices_that_are_refused);
    g_test_add_func("/plan-devices/looked-at", devices_are_looked_at);
    g_test_add_func("/plan-devices/added", devices_that_were_added);
    g_test_add_func("/plan-devices/gpus", gpus);
    g_test_add_func("/plan-devices/added-judged", added_devices_are_judged);
    g_test_add_func("/plan-devices/judged", devices_are_judged_where_they_are);
    return g_test_run();
}
