"""The FuseSoC generator of generator.core: one configuration becomes Verilog and a core file.

FuseSoC runs it with the path of a YAML file, in the folder where the files belong. It calls the command
`sata-recorder`, so a mistake is refused in the same words.
"""

import json
import subprocess
import sys
from pathlib import Path

TOP, BENCH, DRIVE = "sata_recorder", "sata_recorder_tb", "sata_drive"


def fail(why):
    sys.exit(f"sata_recorder generator: {why}")


def options(parameters, files_root):
    """The parameters as options of `sata-recorder verilog`."""
    found = []
    for key, value in parameters.items():
        flag = key.replace("_", "-")
        if key == "config":
            file = Path(files_root, str(value))
            found += ["--config", str(file) if file.is_file() else str(value)]
        elif value is True or value is False:
            found.append(f"--{'' if value else 'no-'}{flag}")
        else:
            found += [f"--{flag}", str(value)]
    return found


def main(path):
    try:
        import yaml
    except ImportError:
        fail(f"{sys.executable} has no package yaml: pip install PyYAML")
    given = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    parameters = dict(given.get("parameters") or {})
    bench = parameters.pop("bench", False)
    if not isinstance(bench, bool):
        fail(f"bench: {bench}: must be true or false")
    command = [sys.executable, "-c", "from sata_recorder.cli.main import main; main()", "verilog", "-o", f"{TOP}.v",
               "--overwrite", *(["--bench", "."] if bench else []),
               *options(parameters, given["files_root"])]
    result = subprocess.run(command, text=True, capture_output=True)
    if "No module named" in result.stderr:
        fail(f"{sys.executable} has no package sata_recorder: pip install sata-recorder")
    if result.returncode:
        fail(result.stderr.strip())
    filesets = {"rtl": {"files": [f"{TOP}.v"], "file_type": "verilogSource-2005"}}
    if bench:
        filesets["bench"] = {"files": [f"{BENCH}.v", f"{DRIVE}.v"], "file_type": "verilogSource-2005",
                             "tags": ["simulation"]}
    core = {"name": given["vlnv"], "filesets": filesets, "targets": {"default": {"filesets": [*filesets]}}}
    # JSON is YAML, too.
    Path(f"{given['vlnv'].split(':')[2]}.core").write_text(f"CAPI=2:\n{json.dumps(core, indent=2)}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
