# SPDX-License-Identifier: MIT
"""Other servers of directories: built once from Debian's packages, kept in a folder.

passthrough_ll comes from the examples of the installed libfuse. passthrough_hp, which the examples of the
package leave out, and a passthrough_ll over io_uring come from the source of a newer libfuse.
"""
import pathlib
import re
import shutil

from .process import Failure, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = pathlib.Path('/usr/share/doc/libfuse3-dev/examples')
NEWER_SUITE = 'sid'


class Peers:
    """The programs there are, each with its version; and why others are not there."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = {}
        self.versions = {}
        self.absent = {}

    def get(self):
        """Builds what has not been built."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for build in (self.installed_libfuse, self.newer_libfuse, self.bindfs):
            try:
                build()
            except Failure as failure:
                self.absent[build.__name__] = str(failure)

    def installed_libfuse(self):
        """passthrough_ll of the installed libfuse3-dev."""
        program = self.folder / 'passthrough_ll'
        version = run('pkg-config', '--modversion', 'fuse3').strip()
        flags = run('pkg-config', '--cflags', '--libs', 'fuse3').split()
        if not program.exists():
            run('gcc', '-O2', '-o', program, EXAMPLES / 'passthrough_ll.c', *flags)
        self.add('ll', program, version)

    def newer_libfuse(self):
        """passthrough_ll and passthrough_hp of a newer libfuse, linked with its library."""
        source, build = self.folder / 'libfuse', self.folder / 'libfuse-build'
        wanted = ('passthrough_ll', 'passthrough_hp')
        if not all((build / 'example' / name).exists() for name in wanted):
            for folder in (source, build):
                shutil.rmtree(folder, ignore_errors=True)
            run(ROOT / 'test' / 'debian-suite', NEWER_SUITE, 'source', source, 'fuse3')
            run('meson', 'setup', build, source, '--buildtype=release', '--default-library=static',
                '-Dexamples=true', '-Dutils=false', '-Dtests=false')
            run('ninja', '-C', build, *(f'example/{name}' for name in wanted))
        version = re.search(r"version: *'([^']+)'", (source / 'meson.build').read_text())[1]
        self.add('newer-ll', build / 'example' / wanted[0], version)
        self.add('newer-hp', build / 'example' / wanted[1], version)

    def bindfs(self):
        """bindfs of the distribution."""
        program = shutil.which('bindfs')
        if not program:
            raise Failure('the package bindfs is not installed')
        self.add('bindfs', pathlib.Path(program), run(program, '--version').split()[-1])

    def add(self, key, program, version):
        """A program that is there."""
        self.programs[key] = program
        self.versions[key] = version
