"""What can be done to a simulated drive while the station runs, in words that are typed."""

from dataclasses import dataclass

from ... import outputs

#: Dwords between two HOLDs of a drive that is slowed down.
_BETWEEN_HOLDS = 1000
_MOST_HOLD = 1_000_000
#: Bytes that are loaded at once.
_PIECE = 1 << 20
#: Degrees Celsius of a drive that was not heated.
_COOL = 35


class BadOrder(ValueError):
    """An order that cannot be obeyed: one line."""


@dataclass(frozen=True)
class Order:
    """``usage`` its words, ``meaning`` what it does; ``most`` the largest number it takes, None
    if it takes none."""

    usage: str
    meaning: str
    most: int | None = None


#: The orders by their first word.
ORDERS = {order.usage.split()[0]: order for order in (
    Order("bad-sector LBA", "the drive reports an error (UNC) at this sector", (1 << 48) - 1),
    Order("flip LBA", "one bit of this sector changes on the medium", (1 << 48) - 1),
    Order("load LBA FILE", "from this sector on, the drive has what this file holds", (1 << 48) - 1),
    Order("slow DWORDS", "the drive shows HOLD for this many dwords after every 1000; 0: no more",
          _MOST_HOLD),
    Order("heat CELSIUS", "the drive has this temperature; its specified maximum is 70", 127),
    Order("lock", "the drive is locked by ATA Security after a loss of power, until `heal`"),
    Order("mute", "the drive answers no command any more"),
    Order("drop-link", "the link falls, and comes back"),
    Order("unplug", "the drive is taken away"),
    Order("plug", "the drive is connected again"),
    Order("heal", "the drive is good again, and connected"),
    Order("lane N", "of an array: what follows is done to the drive of this lane", 3),
)}


def obey(station, line):
    """Does what ``line`` orders to the drive of ``station``; returns what was done, as a sentence.

    Raises :class:`BadOrder`, after which nothing has changed, unless a `load` failed halfway.
    """
    verb, *rest = line.split(maxsplit=2) or [""]
    words = [verb.lower(), *rest] if verb.lower() == "load" else line.lower().split()
    if not words or words[0] not in ORDERS:
        raise BadOrder(f"{words[0] if words else 'nothing'}: no such order; they are "
                       f"{', '.join(order.usage for order in ORDERS.values())}")
    number = _number(words, ORDERS[words[0]], station)
    drive, port = station.drive, station.port
    match words[0]:
        case "bad-sector":
            drive.behaviour.fail_lba = number
            return f"sector {number} is bad"
        case "flip":
            byte = drive.image.read(512 * number, 1)[0]
            drive.image.write(512 * number, bytes([byte ^ 1]))
            return f"one bit of sector {number} has changed"
        case "load":
            size = _load(drive, number, words[2])
            return f"{size} bytes are on the drive, from sector {number} on"
        case "slow":
            held = (_BETWEEN_HOLDS, number) if number else None
            drive.behaviour.throttle = drive.behaviour.underrun = held
            return f"the drive shows HOLD for {number} dwords after every {_BETWEEN_HOLDS}" \
                if number else "the drive shows no HOLD of its own"
        case "heat":
            if drive.health is None:
                raise BadOrder("heat: the drive reports no temperature: it has no SMART")
            drive.health.celsius = number
            return f"the drive is of {number} degrees Celsius"
        case "lock":
            _lock(station, True)
            return "the drive has lost power, and is locked"
        case "mute":
            drive.behaviour.mute = frozenset(["command"])
            return "the drive answers no command"
        case "drop-link":
            if port.drive is None:
                raise BadOrder("drop-link: no drive is connected")
            port.drop_link(64)
            return "the link has fallen"
        case "unplug":
            station.unplug()
            return "the drive is taken away"
        case "lane":
            station.lane = number
            return f"what follows is done to the drive of lane {number}"
        case "plug":
            station.plug()
            return "the drive is connected"
    drive.behaviour.fail_lba = drive.behaviour.throttle = drive.behaviour.underrun = None
    drive.behaviour.mute = frozenset()
    if drive.health is not None:
        drive.health.celsius = _COOL
    if drive.locked:
        _lock(station, False)
    station.plug()
    return "the drive is good, and connected"


def _load(drive, lba, name):
    """Writes the file ``name`` to ``drive``, filled with zeros to a whole sector; returns its bytes."""
    room = 512 * (drive.sectors - lba)
    try:
        with open(name, "rb") as file:
            size = outputs.check_kind(name).st_size
            if not 0 < size <= room:
                raise BadOrder(f"load {name}: has {size} bytes, 1 to {room} fit there")
            for place in range(0, size, _PIECE):
                part = file.read(_PIECE)
                drive.image.write(512 * lba + place, part + bytes(-len(part) % 512))
    except OSError as error:
        raise BadOrder(f"load {name}: {error.strerror}") from None
    return size


def _lock(station, locked):
    """Takes the drive away and plugs it in so, because what it reports about itself is read then."""
    station.unplug()
    station.drive.locked = locked
    station.drive.renew_page()
    station.plug()


def _number(words, order, station):
    """The number of an order, None if it has none."""
    wanted = len(order.usage.split())
    if len(words) != wanted:
        raise BadOrder(f"{' '.join(words)}: it is written {order.usage}")
    if order.most is None:
        return None
    try:
        number = int(words[1], 0)
    except ValueError:
        raise BadOrder(f"{order.usage} = {words[1]}: is no number") from None
    most = (station.drive.sectors - 1 if "LBA" in order.usage else
            station.lanes - 1 if words[0] == "lane" else order.most)
    if not 0 <= number <= most:
        raise BadOrder(f"{order.usage} = {number}: 0 to {most}")
    return number
