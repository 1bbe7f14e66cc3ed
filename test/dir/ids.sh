#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ids.sh — users and groups who are others on the host: wherever an id crosses, it is translated.
. "$(dirname "$0")/../lib.sh"
need root fuse setpriv setfattr /usr/bin/python3

mkdir -m 777 source
as() { setpriv --reuid "$1" --regid "$2" --clear-groups "${@:3}"; } # UID GID COMMAND...
owner() { stat -c %u:%g "$1"; }

# The client's 1000 to 1009 are 2000 to 2009 on the host, its groups 50 to 59 are 5050 to 5059.
readonly both=translate-uid=map:1000:2000:10,translate-gid=map:50:5050:10

mount_store source mnt -o "$both"
as 1001 51 touch mnt/his
is "$(owner source/his)" 2001:5051 'what is made belongs to another on the host'
is "$(owner mnt/his)" 1001:51 'and to the maker for the client'
as 1001 51 bash -c 'mkdir mnt/folder; mkfifo mnt/pipe; ln -s x mnt/link'
is "$(owner source/folder) $(owner source/pipe) $(stat -c %u:%g source/link)" \
	'2001:5051 2001:5051 2001:5051' 'folders, pipes and links too'
is "$(owner mnt/folder) $(owner mnt/pipe) $(owner mnt/link)" '1001:51 1001:51 1001:51' 'for both'
as 4000 4000 touch mnt/foreign
is "$(owner source/foreign) $(owner mnt/foreign)" '4000:4000 4000:4000' 'others stay who they are'
chown 1002:52 mnt/his
is "$(owner source/his) $(owner mnt/his)" '2002:5052 1002:52' 'chown'
chown 2003:5053 source/his
wait_for bash -c "[ \$(stat -c %u:%g mnt/his) = 1003:53 ]"
is "$(owner mnt/his)" 1003:53 "the host's chown"
is "$(ls -ln mnt | awk '$9 == "his" { print $3 ":" $4 }')" 1003:53 'a listing'
ok 'the owner may' as 1003 53 chmod 700 mnt/his
fails_with '*' 'not permitted' "who has the host's number may not" as 2003 5053 chmod 700 mnt/his

# a folder's group goes to what is made in it, by members and others
mkdir -m 2777 source/shared
chgrp 5055 source/shared
as 1001 51 bash -c 'touch mnt/shared/a; mkdir mnt/shared/b'
is "$(stat -c '%u:%g %a' source/shared/b)" '2001:5055 2755' 'in a set-group-id folder'
is "$(owner mnt/shared/a)" 1001:55 'a file too'
setpriv --reuid 1001 --regid 51 --groups 55 /usr/bin/python3 -c '
import os
os.close(os.open("mnt/shared/member", os.O_CREAT | os.O_WRONLY, 0o2775))
os.chmod("mnt/shared/member", 0o2775)'
is "$(stat -c '%u:%g %a' source/shared/member)" '2001:5055 2775' 'a member may set the bit'

# set-group-id without group-execute: who is of the group keeps it, by the ids of the client
printf x >source/bits
chown 2005:5055 source/bits
chmod 2767 source/bits
setpriv --reuid 1001 --regid 51 --groups 55 bash -c 'echo y >>mnt/bits'
is "$(stat -c %a source/bits)" 2767 'a write by a member keeps set-group-id'
setpriv --reuid 1001 --regid 51 --groups 5055 bash -c 'echo y >>mnt/bits'
is "$(stat -c %a source/bits)" 767 "by one of the host's group of that number it does not"

# ids within values
set_list() { # PATH NAME UID GID
	/usr/bin/python3 - "$@" <<'PYTHON'
import os, struct, sys
path, name, uid, gid = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
none = 0xffffffff
entries = [(1, 7, none), (2, 5, uid), (4, 5, none), (8, 6, gid), (16, 7, none), (32, 0, none)]
os.setxattr(path, name, struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in entries))
PYTHON
}
list_ids() { # PATH NAME
	/usr/bin/python3 - "$@" <<'PYTHON'
import os, struct, sys
value = os.getxattr(sys.argv[1], sys.argv[2])
print(*[i for t, p, i in struct.iter_unpack("<HHI", value[4:]) if t in (2, 8)])
PYTHON
}
readonly access=system.posix_acl_access default=system.posix_acl_default
set_list mnt/folder $access 1006 56
is "$(list_ids source/folder $access)" '2006 5056' 'an access list has the ids of the host'
is "$(list_ids mnt/folder $access)" '1006 56' 'and those of the client'
set_list mnt/folder $default 1007 4000
as 1001 51 touch mnt/folder/heir
is "$(list_ids source/folder/heir $access) $(list_ids mnt/folder/heir $access)" '2007 4000 1007 4000' \
	'what is made inherits them'
set_list source/folder $access 2008 5058
wait_for bash -c "$(declare -f list_ids); [ \"\$(list_ids mnt/folder $access)\" = '1008 58' ]"
is "$(list_ids mnt/folder $access)" '1008 58' "the host's list"
ok 'the list counts' as 1008 1 ls mnt/folder
fails_with '*' 'Permission denied' "not for the host's number" as 2008 1 ls mnt/folder
# linux/capability.h, revision 3, of a user namespace whose root is 1001
setfattr -n security.capability -v 0x0100000300040000000000000000000000000000e9030000 mnt/bits
has "$(getfattr -n security.capability -e hex source/bits)" d1070000 "a capability's root"
end_mount mnt

mount_store source mnt -o translate-uid=squash-guest:0:7:4294967295,translate-uid=squash-host:0:9:4294967295
as 1001 51 bash -c ': >mnt/squashed'
is "$(owner source/squashed) $(owner mnt/squashed)" '7:51 9:51' 'all are one'
: >mnt/by-root
is "$(owner source/by-root)" 7:0 'root too'
end_mount mnt

mount_store source mnt -o translate-uid=forbid-guest:1000:10,translate-gid=forbid-guest:50:10
fails_with '*' 'not permitted' 'who is forbidden makes nothing' as 1001 1 touch mnt/new
fails_with '*' 'not permitted' 'nor with such a group' as 1 51 touch mnt/new
fails_with '*' 'not permitted' 'nor is given anything' chown 1001 mnt/by-root
fails_with '*' 'not permitted' 'nor his group' chgrp 51 mnt/by-root
fails_with '*' 'not permitted' 'nor a place in a list' set_list mnt/folder $access 1001 1
ok 'others are' chown 1:1 mnt/by-root
ok 'what the host gives him is shown' chown 1001:51 source/by-root
wait_for bash -c "[ \$(stat -c %u:%g mnt/by-root) = 1001:51 ]"
has "$(getfattr -n trusted.tacit.options --only-values mnt)" \
	'translate-uid=forbid-guest:1000:10,translate-gid=forbid-guest:50:10' 'the options are told'
end_mount mnt

for refused in uid=guest:1:2 gid=guest:1:2:x uid=frob:1:2:3 gid=map:1:2:3,translate-gid=map:3:9:1; do
	fails_with 1 "translate-${refused%%=*}: '" "refused: $refused" "$TACIT" mount -o "translate-$refused" source mnt
done
