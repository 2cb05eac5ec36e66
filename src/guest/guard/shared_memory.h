/* Memory that the guard's leader and its workers share, and locks in it. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

/* SIZE bytes of zeros, before the first worker; NULL with errno. It stays. */
static inline void *shared_memory_new(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static inline void shared_memory_lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(lock, &attributes);
}
