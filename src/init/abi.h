/* The machine's own system call table and that of its 32-bit personality, for seccomp filters. */
#pragma once

#include <linux/audit.h>

#if defined __x86_64__
#define ABI_NATIVE AUDIT_ARCH_X86_64
#define ABI_OTHER AUDIT_ARCH_I386
/* 32-bit x86 and ARM share most numbers; the rest are given twice. */
#define ABI_COMPAT(x86, arm) x86
#elif defined __aarch64__
#define ABI_NATIVE AUDIT_ARCH_AARCH64
#define ABI_OTHER AUDIT_ARCH_ARM
#define ABI_COMPAT(x86, arm) arm
#else
#error "box-init has no system call table for this machine yet"
#endif
