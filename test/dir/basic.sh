#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# basic.sh — a directory is mounted, used from both sides, and unmounted.
. "$(dirname "$0")/../lib.sh"
need root fuse setfattr chattr python3

mkdir source
echo first >source/file
mkdir source/folder
ln -s file source/link
mount_store source mnt
is "$(findmnt -no FSTYPE mnt)" fuse.tacit 'the mount table has the type'
is "$(findmnt -no SOURCE mnt)" "$work/source" 'and the source'
is "$(cat mnt/file)" first 'a file is read'
echo second >>mnt/file
is "$(cat source/file)" $'first\nsecond' 'what is written is in the directory'
is "$(readlink mnt/link)" file 'a link'
mkdir mnt/folder/new
mv mnt/folder/new mnt/moved
ok 'a folder made and moved' test -d source/moved
ln mnt/file mnt/folder/other
is "$(stat -c '%h %i' mnt/folder/other)" "$(stat -c '%h %i' source/file)" 'a hard link: number and count'
setfattr -n user.colour -v blue mnt/file
is "$(getfattr -n user.colour --only-values source/file)" blue 'an extended attribute'
chattr +a mnt/file
has "$(lsattr source/file)" a 'a file flag'
echo third >>mnt/file
fails_with '*' 'not permitted' 'and it holds' truncate -s 0 mnt/file
chattr -a mnt/file
is "$(stat -c %W mnt/file)" "$(stat -c %W source/file)" 'the time of birth'
mkfifo mnt/pipe
is "$(stat -c %F source/pipe)" fifo 'a pipe'

# made by another: his, in the group of a set-group-id folder
mkdir -m 2777 source/shared
chgrp 4000 source/shared
setpriv --reuid 1234 --regid 2345 --clear-groups bash -c 'umask 027; : >mnt/shared/his; mkdir mnt/shared/dir'
is "$(stat -c '%u %g %a' source/shared/his)" '1234 4000 640' 'a new file is its maker'"'"'s'
is "$(stat -c '%u %g %a' source/shared/dir)" '1234 4000 2750' 'a new folder too'

# many, and long, and deep
(cd mnt/folder && seq -f 'name-%g' 1000 | xargs touch)
is "$(find mnt/folder -mindepth 1 | wc -l)" 1001 'a thousand entries'
is "$(find source/folder -mindepth 1 | wc -l)" 1001 'in the directory too'
cp -a /usr/include/linux/netfilter mnt/copy
ok 'a tree is copied whole' diff -r /usr/include/linux/netfilter source/copy
dd if=/dev/urandom of=source/big bs=1M count=8 status=none
ok 'a large file is the same' cmp source/big mnt/big
cp mnt/big mnt/big2
ok 'copied within the mount' cmp source/big source/big2
rm -r mnt/copy mnt/folder
ok 'removed' test ! -e source/folder

ok 'a deleted file stays while it is open' python3 -c '
import os
f = os.open("mnt/open", os.O_CREAT | os.O_RDWR)
os.write(f, b"here")
os.unlink("mnt/open")
assert os.pread(f, 9, 0) == b"here" and os.fstat(f).st_nlink == 0'
ok 'locks hold on the host' python3 -c '
import fcntl, os
a = open("mnt/file", "r+"); b = open("source/file", "r+")
fcntl.flock(a, fcntl.LOCK_EX)
try: fcntl.flock(b, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError: pass
else: raise SystemExit("flock")
fcntl.lockf(a, fcntl.LOCK_EX)
if os.fork() == 0:
    try: fcntl.lockf(open("source/file", "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError): os._exit(0)
    os._exit(1)
assert os.wait()[1] == 0, "lockf"'

has "$(getfattr -n trusted.tacit.options --only-values mnt)" cache=auto 'the options in force are told'
mount -t tmpfs below source/moved
echo inside >source/moved/file
wait_for grep inside mnt/moved/file # the client may keep what it knew of "moved" for a second
is "$(cat mnt/moved/file)" inside 'a mount below is crossed'
end_mount mnt
umount source/moved
ok 'the mount point is empty again' test -z "$(ls mnt)"

for option in cache=always cache=metadata cache=never writeback nokillpriv noxattr noflock,noposix_lock; do
	mount_store source mnt -o "$option"
	printf %s "$option" >mnt/with
	is "$(cat mnt/with)" "$option" "with $option it works"
	is "$(cat source/with)" "$option" 'and is in the directory'
	end_mount mnt
done
mount_store source mnt -o ro
fails_with '*' 'Read-only' 'ro holds' touch mnt/file
