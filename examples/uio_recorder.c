/* Operates the core from Linux: its registers as a UIO device, its irq as that device's interrupt.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *     sata-recorder verilog --control axi-lite -o core.v --header sata_recorder.h
 *     cc -I. -I$C -o uio_recorder uio_recorder.c $C/sata_driver.c
 *     ./uio_recorder /dev/uio0 record LBA SECTORS      (or: play LBA SECTORS, flush)
 *
 * with C the folder src/sata_recorder/firmware/c. The device tree names the core's 4 KiB and its
 * irq, level and active high, for uio_pdrv_genirq. The data go through the core's streams, not
 * through this program. Ctrl-C stops a recording or a playback; what was recorded is flushed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sata_driver.h"

#define REGISTER_BYTES 4096
#define OPERATION_SECTORS 65536     /* a 48-bit command, 32 MiB */

/* Set by the signal handler, looked at by the driver. */
static volatile uint32_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

/* UIO masks the interrupt when it has come; a write of 1 takes the mask away. A signal may come
 * just before poll sleeps, so that looks up again after a while. */
static void wait_for_interrupt(void *context)
{
    struct pollfd device = {*(int *)context, POLLIN, 0};
    uint32_t number = 1;

    if (write(device.fd, &number, sizeof number) != sizeof number)
        return;
    if (poll(&device, 1, 100) == 1 && read(device.fd, &number, sizeof number) < 0)
        perror("read");
}

/* sata_wait_ready would not sleep meanwhile. NOT_READY: Ctrl-C came first. */
static enum sata_recorder_error wait_for_drive(const struct sata *sata)
{
    enum sata_recorder_error error;

    while ((error = sata_readiness(sata)) == SATA_RECORDER_ERROR_NOT_READY && !stop)
        usleep(10000);
    return error;
}

static int usage(void)
{
    fprintf(stderr, "usage: uio_recorder DEVICE record|play LBA SECTORS\n"
                    "       uio_recorder DEVICE flush\n");
    return 2;
}

static int number(const char *text, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 0);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value >> 48 == 0;
}

int main(int count, char **words)
{
    struct sata_result result = {SATA_RECORDER_ERROR_NONE, 0};
    struct sigaction action = {.sa_handler = on_signal};
    enum sata_recorder_operation operation;
    uint64_t lba = 0, sectors = 0;
    int device;

    if (count == 5 && strcmp(words[2], "record") == 0)
        operation = SATA_RECORDER_OPERATION_RECORD_FLUSH;
    else if (count == 5 && strcmp(words[2], "play") == 0)
        operation = SATA_RECORDER_OPERATION_PLAY;
    else if (count == 3 && strcmp(words[2], "flush") == 0)
        operation = SATA_RECORDER_OPERATION_FLUSH;
    else
        return usage();
    if (count == 5 && !(number(words[3], &lba) && number(words[4], &sectors)))
        return usage();

    device = open(words[1], O_RDWR | O_SYNC);
    if (device < 0) {
        perror(words[1]);
        return 1;
    }
    void *registers = mmap(NULL, REGISTER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    if (registers == MAP_FAILED) {
        perror(words[1]);
        return 1;
    }
    struct sata sata = {.registers = registers, .wait_for_interrupt = wait_for_interrupt,
                        .context = &device, .stop = &stop,
                        .operation_sectors = OPERATION_SECTORS};
    if (!sata_present(&sata)) {
        fprintf(stderr, "%s: no SATA recorder\n", words[1]);
        return 1;
    }
    sigaction(SIGINT, &action, NULL);

    result.error = wait_for_drive(&sata);
    if (result.error == SATA_RECORDER_ERROR_NOT_READY) {
        fprintf(stderr, "%s: no drive\n", words[1]);
        return 1;
    }
    if (result.error == SATA_RECORDER_ERROR_NONE) {
        if (operation == SATA_RECORDER_OPERATION_FLUSH)
            result.error = sata_operate(&sata, operation, 0, 0);
        else
            result = sata_move(&sata, operation, lba, sectors);
    }
    printf("%s: error %d, %" PRIu64 " of %" PRIu64 " sectors\n", words[2], (int)result.error,
           result.sectors_done, sectors);
    return result.error != SATA_RECORDER_ERROR_NONE;
}
