"""Above a core: recordings go into the slots of a prepared drive and become files."""

from .controller import FileController
from .file_stage import FileStage
from .signature import FilesSignature, FileTime, FileWord

__all__ = ["FileController", "FileStage", "FileTime", "FileWord", "FilesSignature"]
