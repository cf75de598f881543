/* A driver for the SATA recorder behind AXI4-Lite.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It needs C99 and sata_recorder.h, which `sata-recorder verilog --control axi-lite --header`
 * writes. It keeps no state of its own, allocates nothing, and never waits for anything but the
 * core, which ends every operation by itself: each wait of the core has a timeout.
 */
#ifndef SATA_DRIVER_H
#define SATA_DRIVER_H

#include <stdint.h>

#include "sata_recorder.h"

/* How a driver reaches its core. */
struct sata {
    volatile uint32_t *registers;
    /* Sleeps until irq may be high; NULL: the driver polls. It may return early. */
    void (*wait_for_interrupt)(void);
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

/* Waits until the drive is ready; the error of bring-up if it never will be. */
enum sata_recorder_error sata_wait_ready(const struct sata *sata);

/* Sectors of the drive. */
uint64_t sata_capacity(const struct sata *sata);

/* Does one operation and waits for its end. */
enum sata_recorder_error sata_operate(const struct sata *sata,
                                      enum sata_recorder_operation operation,
                                      uint64_t lba, uint64_t sectors);

/* Moves an extent between stream and drive, `operation_sectors` in an operation. FLUSH CACHE
 * follows the last one where the operation says so. `stop` (or NULL) is asked between two
 * operations whether to end early. It ends with the first error; `sectors_done` says how far it
 * came. */
struct sata_result sata_move(const struct sata *sata, enum sata_recorder_operation operation,
                             uint64_t lba, uint64_t sectors, int (*stop)(void));

#endif
