"""Debian's kernel and a busybox, for QEMU: fetched, unpacked and packed into an initramfs, without
any rights."""

import re
import subprocess
from pathlib import Path

import pytest

#: Modules that /dev/sda needs with AHCI; those that they depend on are found.
MODULES = ("crct10dif_generic", "crc64_rocksoft_generic", "ahci", "sd_mod")
_SECONDS = 600      # of one program, on a slow machine


def _run(*order, cwd=None):
    """What a program prints; the test is skipped where it fails."""
    try:
        reply = subprocess.run(order, cwd=cwd, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{order[0]}: {error}")
    if reply.returncode:
        pytest.skip(f"{' '.join(order)}: {reply.stderr.strip() or reply.stdout.strip()}")
    return reply.stdout


def unpacked(folder, *more):
    """Fetches kernel, busybox and ``more`` packages into ``folder``; the folder with their files."""
    depends = _run("apt-cache", "depends", "linux-image-amd64")
    packages = re.findall(r"Depends: (linux-image-\S+)", depends)
    if not packages:
        pytest.skip(f"apt knows no kernel: {depends!r}")
    _run("apt-get", "download", packages[0], "busybox-static", *more, cwd=folder)
    for package in sorted(folder.glob("*.deb")):
        _run("dpkg-deb", "-x", str(package), str(folder / "root"))
    return folder / "root"


def _ordered(root, modules):
    """The files of the modules, each after those that it depends on."""
    files = {path.stem.replace("-", "_"): path for path in root.glob("lib/modules/*/**/*.ko")}
    found = []

    def add(name):
        path = files.get(name.replace("-", "_"))
        if path is None or path in found:
            return                  # built in, or there already
        depends = re.search(rb"\0depends=([^\0]*)\0", path.read_bytes())
        for other in depends[1].decode().split(",") if depends else ():
            add(other)
        found.append(path)

    for name in (*MODULES, *modules):
        assert name in files, f"the kernel has no {name}"
        add(name)
    return found


def _entry(name, mode, content, number):
    """A file of a cpio archive in the form `newc`."""
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)


def _libraries(program):
    """The files of the libraries of a ``program`` of this machine, its loader, too."""
    return [Path(name) for name in re.findall(r"(/\S+) \(0x", _run("ldd", str(program)))]


def initramfs(root, script, modules=(), programs=()):
    """An archive with busybox, :data:`MODULES` and ``modules``, and ``programs`` of this machine, whose
    /init loads the modules and runs ``script``."""
    files = _ordered(root, modules)
    load = "".join(f"insmod /{path.name} || echo FAILED {path.name}\n" for path in files)
    init = f"""#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
{load}
{script}
poweroff -f
"""
    contents = {"init": init.encode(), "bin/busybox": (root / "bin/busybox").read_bytes()}
    contents |= {path.name: path.read_bytes() for path in files}
    found = {path for program in programs for path in (Path(program), *_libraries(program))}
    contents |= {str(path).lstrip("/"): path.read_bytes() for path in sorted(found)}
    folders = {str(parent) for name in contents for parent in Path(name).parents} - {"."}
    entries = [(name, 0o40755, b"") for name in sorted({"bin", "proc", "sys", "dev"} | folders)]
    entries += [(name, 0o100755, content) for name, content in contents.items()]
    entries.append(("TRAILER!!!", 0, b""))
    return b"".join(_entry(*entry, number) for number, entry in enumerate(entries, 1))


def boot(qemu, root, folder, image, script, *, modules=(), programs=(), keep=False, logical=512):
    """What ``script`` prints in a Linux that has ``image`` as its only disk, or a list of them, with AHCI,
    ``modules`` beside :data:`MODULES`, and these ``programs``. The image stays as it is, but with ``keep``.
    Those with ``logical`` sectors of 4096 bytes are virtio disks, /dev/vda and so on, as are more than six: QEMU's
    AHCI has no more, and none of these."""
    images = image if isinstance(image, list) else [image]
    virtio = logical != 512 or len(images) > 6
    if virtio:
        modules = (*modules, "virtio_pci", "virtio_blk")
    archive = Path(folder, "initramfs")
    archive.write_bytes(initramfs(root, script, modules, programs))
    [kernel] = root.glob("boot/vmlinuz-*")
    disks = []
    for place, path in enumerate(images):
        disks += ["-drive", f"if=none,id=d{place},file={path},format=raw,snapshot={'off' if keep else 'on'}",
                  "-device", f"drive=d{place},serial=RECORDED{place or ''},driver=" + (
                      f"virtio-blk-pci,logical_block_size={logical},physical_block_size={logical}" if virtio else
                      f"ide-hd,bus=ide.{place}")]
    return _run(qemu, "-machine", "q35", "-accel", "tcg", "-m", "512", "-nodefaults", "-no-reboot",
                "-display", "none", "-serial", "stdio", "-kernel", str(kernel), "-initrd",
                str(archive), "-append", "console=ttyS0 quiet panic=-1", *disks)
