"""Above a core: recordings into the slots of a prepared drive, which become files."""

from .controller import FileController
from .recorder import FileRecorder, recorder
from .signature import FileError, FilesSignature, FileState, FileTime, FileWord

__all__ = ["FileController", "FileError", "FileRecorder", "FileState", "FileTime", "FileWord",
           "FilesSignature", "recorder"]
