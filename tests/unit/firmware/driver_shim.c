/* The registers of the driver under test are functions of the test. */
#include "sata_driver.h"

static uint32_t (*reader)(uint32_t);
static void (*writer)(uint32_t, uint32_t);

void shim(uint32_t (*read)(uint32_t), void (*write)(uint32_t, uint32_t))
{
    reader = read;
    writer = write;
}

uint32_t sata_read(const struct sata *sata, uint32_t offset)
{
    (void)sata;
    return reader(offset);
}

void sata_write(const struct sata *sata, uint32_t offset, uint32_t value)
{
    (void)sata;
    writer(offset, value);
}
