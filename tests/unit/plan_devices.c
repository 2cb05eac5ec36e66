/* Devices in a plan: those of devices.list, of `box device add`, and GPUs. */
#include "plan_fixture.h"

static void device(fixture *self, const char *path, plan_file_type type, guint major, guint minor)
{
    plan_file *added = plan_facts_add_file(self->facts, path, type, NULL);
    added->major = major;
    added->minor = minor;
}

static void devices(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->network.tun = TRUE;
    set_list(&m.wanted->devices, "/dev/kvm,nvidia.com/gpu=all,/dev/ttyUSB0:/dev/board:r");
    device(&m, "/dev/kvm", PLAN_TYPE_CHARACTER, 10, 232);
    device(&m, "/dev/net/tun", PLAN_TYPE_CHARACTER, 10, 200);
    device(&m, "/dev/ttyUSB0", PLAN_TYPE_CHARACTER, 188, 0);
    json_t *list = json_object_get(make_request(&m), "devices");
    g_assert_cmpuint(json_array_size(list), ==, 4);
    g_assert_cmpstr(text(json_array_get(list, 2), "path"), ==, "/dev/ttyUSB0:/dev/board:r");
    g_assert_cmpstr(text(json_array_get(list, 3), "path"), ==, "/dev/net/tun");
    g_assert_true(has_warning(&m, "not restricted to 'r'"));
    set_list(&m.wanted->devices, "/dev/net/tun,/dev/kvm:rw,/dev/kvm:/dev/other");
    list = json_object_get(make_request(&m), "devices");
    g_assert_cmpuint(json_array_size(list), ==, 3);
    g_assert_false(has_warning(&m, "restricted"));
}

/* Refused by number, whatever the name; by name where numbers are dynamic. */
static const struct {
    plan_file_type type;
    guint major, minor;
    const char *path, *words;
} never[] = {
    {PLAN_TYPE_MISSING, 0, 0, "/dev/nothing", "is missing"},
    {PLAN_TYPE_OTHER, 0, 0, "/dev/shm", "is not a device"},
    {PLAN_TYPE_LINK, 0, 0, "/dev/cdrom", "symbolic link"},
    {PLAN_TYPE_BLOCK, 8, 0, "/dev/sda", "is a disk"},
    {PLAN_TYPE_CHARACTER, 1, 1, "/dev/mem", "memory"},
    {PLAN_TYPE_CHARACTER, 1, 1, "/dev/harmless", "memory"},
    {PLAN_TYPE_CHARACTER, 1, 4, "/dev/port", "memory"},
    {PLAN_TYPE_CHARACTER, 1, 11, "/dev/kmsg", "log"},
    {PLAN_TYPE_CHARACTER, 4, 1, "/dev/tty1", "console"},
    {PLAN_TYPE_CHARACTER, 5, 1, "/dev/console", "terminal"},
    {PLAN_TYPE_CHARACTER, 7, 1, "/dev/vcs1", "console"},
    {PLAN_TYPE_CHARACTER, 10, 223, "/dev/uinput", "could type"},
    {PLAN_TYPE_CHARACTER, 10, 239, "/dev/uhid", "could type"},
    {PLAN_TYPE_CHARACTER, 13, 64, "/dev/input/event0", "input device"},
    {PLAN_TYPE_CHARACTER, 240, 64, "/dev/input/new", "input device"},
    {PLAN_TYPE_CHARACTER, 244, 0, "/dev/hidraw0", "keyboard"},
    {PLAN_TYPE_CHARACTER, 21, 0, "/dev/sg0", "disk"},
    {PLAN_TYPE_CHARACTER, 29, 0, "/dev/fb0", "shows the contents"},
    {PLAN_TYPE_CHARACTER, 136, 0, "/dev/pts/0", "terminal"},
    {PLAN_TYPE_CHARACTER, 189, 4, "/dev/bus/usb/001/005", "security key"},
    {PLAN_TYPE_CHARACTER, 189, 4, "/dev/probe", "security key"},
    {PLAN_TYPE_CHARACTER, 180, 96, "/dev/usb/hiddev0", "keyboard"},
    {PLAN_TYPE_CHARACTER, 246, 0, "/dev/usbmon0", "what you type"},
    {PLAN_TYPE_CHARACTER, 253, 0, "/dev/tpmrm0", "keys"},
    {PLAN_TYPE_CHARACTER, 242, 0, "/dev/nvme0", "disk"},
    {PLAN_TYPE_CHARACTER, 241, 0, "/dev/ng0n1", "disk"},
    {PLAN_TYPE_CHARACTER, 247, 0, "/dev/bsg/scsi", "disk"},
};

static void devices_that_are_refused(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(never); i++) {
        g_auto(fixture) m;
        fixture_init(&m);
        g_autofree char *renamed = g_strconcat(never[i].path, ":/dev/null:rwm", NULL);
        device(&m, never[i].path, never[i].type, never[i].major, never[i].minor);
        set_list(&m.wanted->devices, never[i].path);
        assert_refused(&m, never[i].words);
        set_list(&m.wanted->devices, renamed);
        assert_refused(&m, never[i].words);
    }
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->network.tun = TRUE;
    assert_refused(&m, "network.tun: '/dev/net/tun' is missing");
}

static void added(fixture *self, const char *source, const char *target)
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

/* Links are followed; what is missing or refused is left out with a message, without an error. */
static void added_devices(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->network.tun = TRUE;
    set_list(&m.wanted->devices, "/dev/kvm,/dev/zero:/dev/taken:rwm");
    device(&m, "/dev/kvm", PLAN_TYPE_CHARACTER, 10, 232);
    device(&m, "/dev/zero", PLAN_TYPE_CHARACTER, 1, 5);
    device(&m, "/dev/net/tun", PLAN_TYPE_CHARACTER, 10, 200);
    device(&m, "/dev/ttyUSB3", PLAN_TYPE_CHARACTER, 188, 3);
    device(&m, "/dev/input/event1", PLAN_TYPE_CHARACTER, 13, 65);
    device(&m, "/dev/a:b", PLAN_TYPE_CHARACTER, 188, 4);
    plan_facts_add_file(m.facts, "/dev/serial/by-id/board", PLAN_TYPE_LINK, "/dev/ttyUSB3");
    plan_facts_add_file(m.facts, "/dev/serial/by-id/keyboard", PLAN_TYPE_LINK, "/dev/input/event1");
    plan_facts_add_file(m.facts, "/dev/serial/by-id/gone", PLAN_TYPE_LINK, NULL);
    plan_facts_add_file(m.facts, "/dev/shm/planted", PLAN_TYPE_LINK, "/dev/ttyUSB3");
    added(&m, "/dev/serial/by-id/board", "/dev/ttyUSB0");
    added(&m, "/dev/serial/by-id/keyboard", "/dev/x");
    added(&m, "/dev/serial/by-id/gone", "/dev/y");
    added(&m, "/dev/missing", "/dev/missing");
    added(&m, "/dev/shm/planted", "/dev/z");
    added(&m, "/dev/a:b", "/dev/a");
    added(&m, "/dev/kvm", "/dev/kvm");   /* the configuration has it */
    added(&m, "/dev/kvm", "/dev/taken"); /* and this name */
    added(&m, "/dev/net/tun", "/dev/net/tun");
    json_t *request = make_request(&m);
    g_assert_cmpuint(json_array_size(json_object_get(request, "devices")), ==, 4);
    g_assert_cmpstr(device_at(request, 2), ==, "/dev/ttyUSB3:/dev/ttyUSB0");
    g_assert_cmpstr(device_at(request, 3), ==, "/dev/net/tun:/dev/net/tun");
    static const char *const messages[] = {"is an input device", "gone' is missing",
                                           "missing' is missing", "every user can create links",
                                           "Podman does not support"};
    g_assert_cmpuint(m.plan->absent->len, ==, G_N_ELEMENTS(messages));
    for (gsize i = 0; i < G_N_ELEMENTS(messages); i++)
        if (!strstr(m.plan->absent->pdata[i], messages[i]))
            g_error("'%s' does not contain '%s'", (char *)m.plan->absent->pdata[i], messages[i]);
}

/* Recognised by number, not by name. No GPU at all is no reason for a message. */
static void gpus(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    g_assert_cmpuint(json_array_size(json_object_get(make_request(&m), "devices")), ==, 0);
    device(&m, "/dev/dri/renderD128", PLAN_TYPE_CHARACTER, 226, 128);
    device(&m, "/dev/dri/renderD129", PLAN_TYPE_CHARACTER, 13, 64);
    device(&m, "/dev/dri/renderD131", PLAN_TYPE_BLOCK, 226, 131);
    device(&m, "/dev/dri/renderD132", PLAN_TYPE_CHARACTER, 226, 132);
    device(&m, "/dev/kfd", PLAN_TYPE_CHARACTER, 240, 0);
    plan_facts_add_file(m.facts, "/dev/dri/renderD130", PLAN_TYPE_LINK, "/dev/dri/renderD128");
    m.facts->gpus =
        g_strsplit("/dev/dri/renderD128,/dev/dri/renderD129,/dev/dri/renderD130,"
                   "/dev/dri/renderD131,/dev/dri/renderD132,/dev/dri/renderD133,/dev/kfd",
                   ",", -1);
    set_list(&m.wanted->devices, "/dev/dri/renderD132");
    json_t *request = make_request(&m);
    g_assert_cmpuint(json_array_size(json_object_get(request, "devices")), ==, 3);
    g_assert_cmpstr(device_at(request, 0), ==, "/dev/dri/renderD132");
    g_assert_cmpstr(device_at(request, 1), ==, "/dev/dri/renderD128:/dev/dri/renderD128");
    g_assert_cmpstr(device_at(request, 2), ==, "/dev/kfd:/dev/kfd");
    g_assert_cmpuint(m.plan->absent->len, ==, 0);
}

/* Whatever the link to such a device is called. */
static void added_devices_are_checked(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(never); i++) {
        g_auto(fixture) m;
        fixture_init(&m);
        device(&m, never[i].path, never[i].type, never[i].major, never[i].minor);
        plan_facts_add_file(m.facts, "/dev/serial/by-id/board", PLAN_TYPE_LINK, never[i].path);
        added(&m, "/dev/serial/by-id/board", "/dev/ttyUSB0");
        g_assert_cmpuint(json_array_size(json_object_get(make_request(&m), "devices")), ==, 0);
        g_assert_cmpuint(m.plan->absent->len, ==, 1);
        if (!strstr(m.plan->absent->pdata[0], never[i].words))
            g_error("'%s' does not contain '%s'", (char *)m.plan->absent->pdata[0], never[i].words);
    }
}

static void check_device_follows_links(void)
{
    static const struct {
        const char *path, *real, *why;
    } rows[] = {
        {"/dev/null", "/dev/null", NULL},
        {"/dev/none", NULL, NULL},
        {"/dev/fd/0", "/proc/self", "not a device"},
        {"/dev/shm", "/dev/shm", "not a device"},
        {"/dev/stdin", "/proc/self", "not a device"},
        {"/dev/tty", "/dev/tty", "terminal"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *real = NULL;
        const char *why = plan_check_device(rows[i].path, &real);
        g_assert_cmpstr(real, ==, rows[i].real);
        g_assert_true(rows[i].why ? why && strstr(why, rows[i].why) : !why);
    }
}

static void devices_are_probed(void)
{
    g_autoptr(plan_facts) facts = plan_facts_new();
    g_autoptr(settings) wanted = settings_new_defaults();
    set_list(&wanted->devices, "/dev/null,/dev/zero:/dev/x:r,/dev/fd,/dev/fd/0,/dev/shm,/dev/none");
    plan_probe_devices(facts, wanted);
    g_assert_cmpint(plan_facts_file(facts, "/dev/null")->type, ==, PLAN_TYPE_CHARACTER);
    g_assert_cmpuint(plan_facts_file(facts, "/dev/zero")->major, ==, 1);
    g_assert_cmpuint(plan_facts_file(facts, "/dev/zero")->minor, ==, 5);
    g_assert_cmpint(plan_facts_file(facts, "/dev/fd")->type, ==, PLAN_TYPE_LINK);
    g_assert_cmpint(plan_facts_file(facts, "/dev/fd/0")->type, ==, PLAN_TYPE_LINK);
    g_assert_cmpint(plan_facts_file(facts, "/dev/shm")->type, ==, PLAN_TYPE_OTHER);
    g_assert_cmpint(plan_facts_file(facts, "/dev/none")->type, ==, PLAN_TYPE_MISSING);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/devices/configured", devices);
    g_test_add_func("/plan/devices/refused", devices_that_are_refused);
    g_test_add_func("/plan/devices/probed", devices_are_probed);
    g_test_add_func("/plan/devices/added", added_devices);
    g_test_add_func("/plan/devices/gpus", gpus);
    g_test_add_func("/plan/devices/added-are-checked", added_devices_are_checked);
    g_test_add_func("/plan/devices/check-follows-links", check_device_follows_links);
    return g_test_run();
}
