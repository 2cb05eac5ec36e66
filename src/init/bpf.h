/* Writing classic BPF for seccomp, one instruction after the other. */
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_CODE_MAX 256

/* LENGTH stops at BPF_CODE_MAX: a program that got that long is cut off and must not be used. */
struct bpf_program {
    struct sock_filter code[BPF_CODE_MAX];
    unsigned short length;
};

static inline void bpf_emit(struct bpf_program *self, uint16_t code, uint8_t yes, uint8_t no,
                            uint32_t k)
{
    if (self->length < BPF_CODE_MAX)
        self->code[self->length++] = (struct sock_filter){code, yes, no, k};
}

/* Loads the 32 bits at OFFSET of struct seccomp_data. */
static inline void bpf_load(struct bpf_program *self, size_t offset)
{
    bpf_emit(self, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}
