"""The exported Verilog of both kinds of control, made once a run."""

import pytest

from sata_recorder.config import Configuration
from sata_recorder.export import description, verilog


@pytest.fixture(scope="session", params=["pins", "axi-lite"])
def configuration(request):
    return Configuration(buffer_words=256, control=request.param)


@pytest.fixture(scope="session")
def text(configuration):
    return verilog(configuration)


@pytest.fixture(scope="session")
def described(configuration):
    return description(configuration)


@pytest.fixture
def file(text, tmp_path):
    path = tmp_path / "sata_recorder.v"
    path.write_text(text)
    return path
