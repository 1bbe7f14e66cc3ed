# SPDX-License-Identifier: MIT
"""What the jobs work on, made natively once for each back end and the same each time."""
import os
import random
import tarfile

FILES_A_FOLDER = 25
WORDS = 'struct static return int size file node name lock mount read write reply queue'.split()


def text(generator, size):
    """Something like a source file."""
    words = generator.choices(WORDS, k=size // 6)
    return '\n'.join(' '.join(words[at:at + 8]) for at in range(0, len(words), 8)) + '\n'


def make_tree(folder, count, largest):
    """So many files below a folder, two levels deep, each at most `largest` bytes."""
    generator = random.Random(count)
    folder.mkdir()
    below = folder
    for number in range(count):
        if number % FILES_A_FOLDER == 0:
            folder_number = number // FILES_A_FOLDER
            below = folder / f'part-{folder_number // FILES_A_FOLDER}' / f'module-{folder_number}'
            below.mkdir(parents=True, exist_ok=True)
        content = text(generator, generator.randrange(largest // 8, largest)) if largest else ''
        (below / f'source-{number}.c').write_text(content)


def make_entries(folder, count):
    """A folder with so many empty files."""
    folder.mkdir()
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for number in range(count):
            os.close(os.open(f'entry-{number:06}', os.O_CREAT | os.O_WRONLY, 0o644,
                             dir_fd=descriptor))
    finally:
        os.close(descriptor)


def make_file(path, mebibytes):
    """A file whose blocks are all there."""
    block = random.Random(mebibytes).randbytes(1 << 20)
    with open(path, 'wb') as file:
        for _ in range(mebibytes):
            file.write(block)


def make_archive(path, folder):
    """A tar of a tree."""
    with tarfile.open(path, 'w', format=tarfile.PAX_FORMAT) as archive:
        archive.add(folder, arcname=folder.name)
