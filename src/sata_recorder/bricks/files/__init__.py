"""Above a core: recordings into the slots of a prepared drive, which become files."""

from .controller import FileController
from .file_stage import FileStage
from .signature import FilesSignature, FileTime, FileWord

__all__ = ["FileController", "FileStage", "FileTime", "FileWord", "FilesSignature"]
