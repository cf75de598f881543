"""The log and the state of a run: what an interruption at any byte leaves."""

import pytest

from sata_recorder.board.endurance import COLUMNS, EnduranceLog, LogError, state_path

STATE = {"drive": {"serial": "SN 1"}, "progress": {"bytes": 5}}
ROW = {"time": "2026-11-28T00:00:00Z", "event": "said \"so\", twice", "lap": 1, "lba": 2, "bytes": 3, "seconds": 0.5,
       "rate": 1e8, "retries": 0, "failures": 0, "mismatches": 0, "verdict": "good", "worn_at_least": False,
       "mean_erased": 7, "attributes": "5=0 9=1"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "life.csv"
    with EnduranceLog.create(path, STATE) as log:
        for n in range(3):
            log.add(ROW | {"bytes": n})
    return path


def resumed(path):
    with EnduranceLog.resume(path) as log:
        return log


def test_whole(path):
    log = resumed(path)
    assert log.state == STATE and not log.dropped
    assert [row["bytes"] for row in log.rows] == [0, 1, 2]
    assert log.rows[1] == dict.fromkeys(COLUMNS) | ROW | {"bytes": 1}


def test_a_cut_at_every_byte_loses_the_last_line_at_most(path):
    data = path.read_bytes()
    begin = data[:-1].rindex(b"\n") + 1
    for size in range(begin, len(data) + 1):
        path.write_bytes(data[:size])
        log = resumed(path)
        assert len(log.rows) == 2 + (size == len(data))
        assert log.dropped == (begin < size < len(data))
        assert path.read_bytes() == (data if size == len(data) else data[:begin])


@pytest.mark.parametrize("zeros", [1, 40, 600])
def test_zeros_of_a_file_system_that_was_cut(path, zeros):
    data = path.read_bytes()
    path.write_bytes(data[:-20] + bytes(zeros))
    assert len(resumed(path).rows) == 2
    path.write_bytes(data[:-20] + bytes(zeros) + b"\n")
    assert len(resumed(path).rows) == 2


def test_lines_go_on(path):
    path.write_bytes(path.read_bytes()[:-7])
    with EnduranceLog.resume(path) as log:
        log.add(ROW | {"bytes": 9})
        log.state["progress"] = {"bytes": 9}
        log.save()
    log = resumed(path)
    assert [row["bytes"] for row in log.rows] == [0, 1, 9] and log.state["progress"] == {"bytes": 9}


def test_parquet(path):
    import io

    import polars
    frame = polars.read_parquet(io.BytesIO(resumed(path).as_parquet()))
    assert frame.columns == list(COLUMNS) and frame["bytes"].to_list() == [0, 1, 2]
    assert frame["celsius"].to_list() == [None] * 3 and frame["event"][0] == ROW["event"]


def test_what_is_there_is_not_replaced(path, tmp_path):
    with pytest.raises(LogError, match="life.csv: exists; --resume goes on"):
        EnduranceLog.create(path, STATE)
    path.unlink()
    with pytest.raises(LogError, match=r"life.csv.state: exists"):
        EnduranceLog.create(path, STATE)
    with pytest.raises(LogError, match="a.csv: cannot be written: No such file"):
        EnduranceLog.create(tmp_path / "no" / "a.csv", STATE)
    with pytest.raises(LogError, match="cannot be written: is in /dev"):
        EnduranceLog.create("/dev/no-such-device", STATE)


def test_one_run_at_a_time(path):
    with EnduranceLog.resume(path), pytest.raises(LogError, match="is in use by"):
        EnduranceLog.resume(path)


def test_what_is_none(path, tmp_path):
    with pytest.raises(LogError, match="none.csv: there is no such log"):
        EnduranceLog.resume(tmp_path / "none.csv")
    state = state_path(path)
    for text, told in (("{", "is no state of wear"), ("[]", "is no state of wear"), (
            '{"what": "sata-recorder wear", "format": 9}', "has format 9, this program knows 1")):
        state.write_text(text)
        with pytest.raises(LogError, match=told):
            EnduranceLog.resume(path)
    state.unlink()
    with pytest.raises(LogError, match="there is no such state"):
        EnduranceLog.resume(path)


def test_a_file_of_somebody_else(path):
    path.write_text("a,b\n1,2\n")
    with pytest.raises(LogError, match="is no log of wear: its first line"):
        EnduranceLog.resume(path)
    assert path.read_text() == "a,b\n1,2\n"


def test_a_damaged_line_in_the_middle(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"nonsense\n", *lines[2:]]))
    with pytest.raises(LogError, match="a line before its last one is damaged"):
        EnduranceLog.resume(path)


def test_lines_that_somebody_has_changed_are_not_dropped(path):
    """A power cut leaves one line that is not whole at most; here a spreadsheet has written all numbers anew."""
    data = path.read_bytes().replace(b",100000000.0,", b",100 000 000,")
    path.write_bytes(data)
    with pytest.raises(LogError, match="a line before its last one is damaged"):
        EnduranceLog.resume(path)
    assert path.read_bytes() == data
    path.write_bytes(data := data[:-3])
    with pytest.raises(LogError, match="a line before its last one is damaged"):
        EnduranceLog.resume(path)
    assert path.read_bytes() == data


def test_a_log_without_its_state_is_not_left(tmp_path, monkeypatch):
    def full(log):
        raise OSError(28, "No space left on device")
    with monkeypatch.context() as context:
        context.setattr(EnduranceLog, "save", full)
        with pytest.raises(OSError, match="No space"):
            EnduranceLog.create(tmp_path / "life.csv", STATE)
    assert not list(tmp_path.iterdir())
    with EnduranceLog.create(tmp_path / "life.csv", STATE):
        pass


def test_a_log_that_another_has_made_meanwhile(path, monkeypatch):
    """Between the check and the first line."""
    data = path.read_bytes()
    monkeypatch.setattr(EnduranceLog, "check_new", lambda path: None)
    with pytest.raises(LogError, match="life.csv: exists"):
        EnduranceLog.create(path, STATE)
    assert path.read_bytes() == data


@pytest.mark.parametrize("name", ["", ".", "/"])
def test_no_name(name):
    with pytest.raises(LogError, match="must be the name of a file"):
        EnduranceLog.check_new(name)
    with pytest.raises(LogError, match="must be the name of a file"):
        state_path(name)
