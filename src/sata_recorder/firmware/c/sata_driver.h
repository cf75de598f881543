/* A driver for the SATA recorder on AXI4-Lite.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It needs C99 and sata_recorder.h, which `sata-recorder verilog --control axi-lite --header`
 * writes. It keeps no state of its own, allocates nothing, and never waits for anything but the
 * core. The core gives up on a drive by itself; for a stream that has run dry there is `stop`.
 */
#ifndef SATA_DRIVER_H
#define SATA_DRIVER_H

#include <stdint.h>

#include "sata_recorder.h"

/* An error of the driver's own: an operation was not started, or ended early, and nobody has stopped it.
 * The core is another's: power fails (`power_fail`), or files have it. */
#define SATA_INTERRUPTED ((enum sata_recorder_error)16)

/* How a driver reaches its core. */
struct sata {
    volatile uint32_t *registers;
    /* Sleeps until irq is high; NULL: the driver polls. It may return early, and has to when `stop`
     * is set, and, with `power_fail`, once power is back: a start that is ignored raises no irq. */
    void (*wait_for_interrupt)(void *context);
    /* What wait_for_interrupt is called with. */
    void *context;
    /* A word that others set to anything but 0 to end an operation early; NULL: nobody does. */
    const volatile uint32_t *stop;
    /* Sectors of one operation: the longest 48-bit command; 0: the core splits the extent itself.
     * With a 28-bit drive an operation has 256 sectors at most, unless this is 0. */
    uint32_t operation_sectors;
};

/* What an extent came to. */
struct sata_result {
    enum sata_recorder_error error;
    uint64_t sectors_done;      /* sectors in commands that ended without error */
};

/* 1 if the registers are those of a SATA recorder, else 0. */
int sata_present(const struct sata *sata);

/* NONE: the drive is ready. NOT_READY: not yet. Else why it was not brought up; TIMEOUT, OTHER_DRIVE and, with
 * long_logical_sectors, SECTOR_SIZE may also be how the operation before ended, for a drive that comes back. */
enum sata_recorder_error sata_readiness(const struct sata *sata);

/* Waits until sata_readiness has an answer, or, with NOT_READY, until `stop` is set. */
enum sata_recorder_error sata_wait_ready(const struct sata *sata);

/* Sectors of the drive. */
uint64_t sata_capacity(const struct sata *sata);

/* Starts an operation. There must be none: the core ignores a start while it is busy. SATA_INTERRUPTED:
 * it is, and nothing was started. */
enum sata_recorder_error sata_start(const struct sata *sata, enum sata_recorder_operation operation,
                                    uint64_t lba, uint64_t sectors);

/* Ends the operation early that runs, if one does; wait for its end nevertheless. */
void sata_stop(const struct sata *sata);

/* 1 once the operation that was started last has ended, or if none runs, else 0. */
int sata_done(const struct sata *sata);

/* Waits for the end of the operation that was started last, and returns how it ended. `stop` ends it
 * early, which is no error. SATA_INTERRUPTED: power fails, and how it ended is not known; or it never
 * began, and sata_sectors_done is not its own. If power fails while it starts, this waits until power is
 * back. */
enum sata_recorder_error sata_wait(const struct sata *sata);

/* Sectors that the operation that ended last has moved. */
uint64_t sata_sectors_done(const struct sata *sata);

/* Does one operation: sata_start and sata_wait. */
enum sata_recorder_error sata_operate(const struct sata *sata,
                                      enum sata_recorder_operation operation,
                                      uint64_t lba, uint64_t sectors);

/* Moves an extent between stream and drive, `operation_sectors` in an operation. FLUSH CACHE
 * follows the last one where the operation has it, and after a `stop`, too. It ends with the first
 * error; `sectors_done` shows how far it got. Without error or `stop` all sectors have moved, but for those
 * that the core has passed over. */
struct sata_result sata_move(const struct sata *sata, enum sata_recorder_operation operation,
                             uint64_t lba, uint64_t sectors);

#endif
