/* What single texts of the configuration may be; each function is a schema_check (schema.h). */
#pragma once

char *check_name(const char *text, const char **wrong);     /* a box's name */
char *check_image(const char *text, const char **wrong);    /* host, template:NAME, reference */
char *check_package(const char *text, const char **wrong);  /* name, NAME=VERSION, NAME:ARCH */
char *check_relative(const char *text, const char **wrong); /* below the project, no ".." */
char *check_containerfile(const char *text,
                          const char **wrong);              /* the same, and harmless as such */
char *check_absolute(const char *text, const char **wrong); /* inside the box, normalised */
char *check_source(const char *text, const char **wrong);   /* on the host: absolute or ~/ */
char *check_dotfiles(const char *text, const char **wrong); /* check_source(), or an address */
char *check_target(const char *text, const char **wrong);   /* absolute, not over what must stay */
char *check_share(const char *text, const char **wrong); /* below the home: ~/x or x; gives ~/x */
char *check_env_name(const char *text, const char **wrong);
char *check_env_value(const char *text, const char **wrong);
char *check_search_folder(const char *text, const char **wrong); /* of PATH: absolute or "~/…" */
char *check_env_pattern(const char *text, const char **wrong);   /* NAME or PREFIX* */
char *check_address(const char *text, const char **wrong);       /* IPv4 or IPv6 */
char *check_host_name(const char *text, const char **wrong);
char *check_allow(const char *text,
                  const char **wrong); /* a rule (proto/network_rules.h), @GROUP */
char *check_deny(const char *text, const char **wrong);
char *check_seccomp(const char *text, const char **wrong);
char *check_capability(const char *text, const char **wrong); /* gives NAME without CAP_ */
char *check_device(const char *text, const char **wrong);
char *check_device_path(const char *text, const char **wrong); /* below /dev alone */
char *check_program(const char *text, const char **wrong);     /* a name, or an absolute path */
char *check_key(const char *text, const char **wrong);         /* of [ssh] keys */
