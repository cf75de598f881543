"""Profiles of drives as the commands of this project take them: what is refused names the command that helps."""

from pathlib import Path

from sata_drive_model.disk import DiskDrive
from sata_drive_model.flash import FlashDrive
from sata_drive_model.medium.profile import Profile, ProfileError, UnknownName, load

__all__ = ["load_profile", "simulated_profile"]

_THREE_WAYS = ("three ways to make one: from its data sheet (`sata-recorder drives --template`), from a log of fio "
               "(`sata-recorder qualify --fio-bandwidth LOG`), or by measuring it on a board "
               "(`sata-recorder qualify --port PORT`)")


def load_profile(name_or_path: str | Path) -> Profile:
    """The profile of a name, as people write it, or of a file. Raises :class:`sata_drive_model.ProfileError`."""
    try:
        return load(name_or_path)
    except UnknownName as error:
        raise ProfileError(f"{error}{_of_inside(name_or_path)}; `sata-recorder drives` lists all; "
                           f"{_THREE_WAYS}") from None


def _of_inside(name):
    """What is known about a drive without a timing profile."""
    for kind, also in (FlashDrive, ", `wear` without"), (DiskDrive, ""):
        try:
            found = kind.load(name)
        except ProfileError:
            continue
        return (f"; what is inside the {found.name} is known: `measure` and `access` take it with --medium "
                f"{kind.WHAT}{also}")
    return ""


def simulated_profile(profile: Profile) -> Profile:
    """``profile`` itself, if its rates are known; without them it cannot be simulated. Raises
    :class:`sata_drive_model.ProfileError`."""
    try:
        profile.check_rates()
    except ProfileError as error:
        raise ProfileError(f"{error}; `sata-recorder drives NAME --template` prints its profile, to put in a rate of "
                           "your own") from None
    return profile
