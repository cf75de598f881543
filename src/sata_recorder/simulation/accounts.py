"""The cycle ledger: its accounts, who causes them, and how they are read from the hardware."""

from dataclasses import dataclass

from ..core.ledger import Account, Entry, WholeAccount

#: Who causes a cycle that is booked to an account, by the account's name.
WHOSE = {account.name.lower(): account.whose for account in Account} | {
    account.name.lower(): None for account in WholeAccount}
#: The accounts in the order of their addresses.
ACCOUNTS = tuple(account.name.lower() for account in Account)

_NO_MINIMUM = (1 << 48) - 1


@dataclass(frozen=True)
class LedgerReading:
    """``accounts`` by name, in clocks; ``turnaround`` and ``overhead`` of a command as (minimum,
    maximum) in clocks, or None if no command followed another; ``commands``: how many moved data."""

    accounts: dict
    turnaround: tuple | None
    overhead: tuple | None
    commands: int

    @classmethod
    def of_core(cls, numbers):
        """The ledger of the hardware, from its numbers by address."""
        def extremes(low, high):
            found = numbers[low], numbers[high]
            return None if found == (_NO_MINIMUM, 0) else found
        return cls({name: numbers[address] for address, name in enumerate(ACCOUNTS)},
                   extremes(Entry.TURNAROUND_MIN, Entry.TURNAROUND_MAX),
                   extremes(Entry.OVERHEAD_MIN, Entry.OVERHEAD_MAX), numbers[Entry.COMMANDS])

    @classmethod
    def of_whole(cls, numbers):
        """That of an array as a whole, as :meth:`of_core`; it has an account more."""
        lanes = {account.name.lower(): numbers[account] for account in WholeAccount}
        return cls({**cls.of_core(numbers).accounts, **lanes}, None, None, numbers[Entry.COMMANDS])

    @classmethod
    def of_model(cls, analyser):
        """The ledger that the ``analyser`` of the dword port kept independently."""
        def extremes(numbers):
            found = [number for number in numbers if number is not None]
            return (min(found), max(found)) if found else None
        accounts, commands = analyser.ledger(), analyser.commands
        return cls({name: accounts[name] for name in ACCOUNTS},
                   extremes(record.turnaround for record in commands),
                   extremes(record.overhead for record in commands), len(commands))

    @property
    def total(self):
        """Clocks from the first X_RDY of the first command to the status of the last one."""
        return sum(self.accounts.values())

    def differences(self, other, *, waits=False):
        """What differs from ``other``, one text each. ``waits``: after its last command this one may have waited for
        an extent that did not come, which it books as turnaround; in the other one that is flush, or nothing."""
        mine, theirs = self._figures(), other._figures()
        if waits:
            waited = theirs["flush"] - mine["flush"] if theirs["flush"] else mine["turnaround"] - theirs["turnaround"]
            mine["turnaround"] -= max(waited, 0)
            mine["flush"] += max(waited, 0) if theirs["flush"] else 0
        return [f"{name}: {mine[name]} and {theirs[name]}" for name in mine
                if mine[name] != theirs[name]]

    def _figures(self):
        return {**self.accounts, "fewest and most turnaround": self.turnaround,
                "fewest and most overhead": self.overhead, "commands": self.commands}
