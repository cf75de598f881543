"""Above a core: recordings into the slots of a prepared drive, which become files."""

from .controller import FileController
from .recorder import FileRecorder, recorder
from .signature import FilesSignature, FileTime, FileWord

__all__ = ["FileController", "FileRecorder", "FileTime", "FileWord", "FilesSignature", "recorder"]
