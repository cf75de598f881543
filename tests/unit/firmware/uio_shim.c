/* A UIO device for examples/uio_recorder.c: a file has the registers, these are its system calls,
 * and how the driver reaches the registers.
 * POLLS in the environment: with which call of poll the operation ends, but for FLUSH, which ends at once;
 * SIGNALS: with which one Ctrl-C comes. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "sata_driver.h"

static int masked = 1, fired, polls;

static int setting(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

/* A program that breaks the rules of UIO ends with the status 99. */
static void demand(int good)
{
    if (!good)
        _exit(99);
}

uint32_t sata_read(const struct sata *sata, uint32_t offset)
{
    return sata->registers[offset / 4];
}

void sata_write(const struct sata *sata, uint32_t offset, uint32_t value)
{
    volatile uint32_t *status = sata->registers + SATA_RECORDER_STATUS_OFFSET / 4;

    if (offset == SATA_RECORDER_STATUS_OFFSET) {
        *status &= ~(value & SATA_RECORDER_STATUS_DONE_MASK);
        return;
    }
    sata->registers[offset / 4] = value;
    if (offset == SATA_RECORDER_CONTROL_OFFSET && value & SATA_RECORDER_CONTROL_START_MASK) {
        int flush = value >> SATA_RECORDER_CONTROL_OPERATION_SHIFT == SATA_RECORDER_OPERATION_FLUSH;
        *status &= ~SATA_RECORDER_STATUS_DONE_MASK;
        *status |= flush ? SATA_RECORDER_STATUS_DONE_MASK : SATA_RECORDER_STATUS_BUSY_MASK;
    }
}

ssize_t uio_write(int device, const void *data, size_t size)
{
    (void)device;
    demand(size == 4 && *(const uint32_t *)data == 1);
    masked = 0;
    return 4;
}

int uio_poll(struct pollfd *devices, nfds_t count, int milliseconds)
{
    uint32_t enable, status;
    int device = devices->fd;

    demand(count == 1 && milliseconds > 0 && !masked);
    demand(pread(device, &enable, 4, SATA_RECORDER_INTERRUPT_ENABLE_OFFSET) == 4);
    demand(enable == SATA_RECORDER_INTERRUPT_ENABLE_DONE_MASK);
    if (++polls == setting("SIGNALS"))
        raise(SIGINT);
    if (polls != setting("POLLS"))
        return 0;
    demand(pread(device, &status, 4, SATA_RECORDER_STATUS_OFFSET) == 4);
    status = (status & ~SATA_RECORDER_STATUS_BUSY_MASK) | SATA_RECORDER_STATUS_DONE_MASK;
    demand(pwrite(device, &status, 4, SATA_RECORDER_STATUS_OFFSET) == 4);
    masked = fired = 1;
    return 1;
}

ssize_t uio_read(int device, void *data, size_t size)
{
    (void)device;
    demand(size == 4 && fired);
    *(uint32_t *)data = 1;
    return 4;
}
