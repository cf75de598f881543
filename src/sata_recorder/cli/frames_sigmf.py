"""The words of frames as samples: SigMF metadata beside them."""

import hashlib
import json

from ..pc.vita49 import channel_packet
from ..pc.volume import EXTENSION, item_bytes, sigmf_global
from .common import Refusal

__all__ = ["FramesMetadata"]


class FramesMetadata:
    """Collects what SigMF has of the frames whose words are written one after the other.

    A capture begins with each recording and after all words that are not there. Its ``core:global_index`` counts
    samples of the recording, with those that are not there, and ``sata_recorder:clock`` is the clock of the core in
    which its first word came.

    Parameters
    ----------
    datatype : str          Of SigMF, such as ``ci16_le``. Raises ``ValueError`` for an unknown one.
    sample_rate : float     In Hz.
    """

    def __init__(self, *, datatype, sample_rate):
        self._datatype, self._sample_rate = datatype, sample_rate
        self._sample = item_bytes(datatype)
        self._digest = hashlib.sha512()
        self._size = 0              # bytes so far
        self._captures, self._annotations = [], []
        self._due = False           # a capture begins with the next word

    def add(self, frame, begins, absent):
        """The next frame. ``begins``: it is the first one of a recording; ``absent``: None, or why the words before
        it are not there, ``gap`` or ``missing``, and how many these are. Raises :exc:`.common.Refusal` where the
        words are no samples one after the other."""
        start = self._size // self._sample
        if begins:
            self._annotations.append({"core:sample_start": start, "core:label": f"recording {frame.stream_id}"})
        if absent:
            why, words = absent
            self._annotations.append({
                "core:sample_start": start, "core:label": why,
                "core:comment": f"{4 * words} bytes {'were lost' if why == 'gap' else 'are missing'} here"})
        self._due = self._due or begins or bool(absent)
        # A frame may have no words.
        if self._due and frame.words:
            self._check(frame)
            self._captures.append({"core:sample_start": start, "core:global_index": 4 * frame.first // self._sample,
                                   f"{EXTENSION}:clock": frame.clock})
            self._due = False
        self._size += len(frame.payload)
        self._digest.update(frame.payload)

    def _check(self, frame):
        """Refuses the first frame of a capture if what is written of it would be no samples."""
        who = f"--datatype {self._datatype}:"
        if channel_packet(frame):
            raise Refusal(f"{who} recording {frame.stream_id} has channels, whose samples are between heads of "
                          "packets; extract --channel N copies those of one")
        if self._size % self._sample or 4 * frame.first % self._sample:
            raise Refusal(f"{who} a sample has {self._sample} bytes, and recording {frame.stream_id} goes on within "
                          f"one at word {frame.first:,}, after words that are not there; -o without --datatype "
                          "copies the words")

    def text(self, dataset, recordings):
        """The metadata of the file that is called ``dataset``; ``recordings`` are what `frames --json` has of them."""
        told = sigmf_global(datatype=self._datatype, sample_rate=self._sample_rate, dataset=dataset, size=self._size,
                            sha512=self._digest.hexdigest())
        told[f"{EXTENSION}:recordings"] = recordings
        return json.dumps({"global": told, "captures": self._captures, "annotations": self._annotations},
                          indent=2) + "\n"
