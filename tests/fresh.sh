#!/bin/sh
# SPDX-License-Identifier: MIT
# From nothing: bootstrap in a copy of the tree, then bootstrap check without a
# network, then bootstrap check in a new Debian 12 where one can be had.
# KVAOT_FRESH is set in the runs that this starts, so that they don't nest.
. "$(dirname "$0")/lib.sh"
if [ "${KVAOT_FRESH-}" ]; then
	echo 'skipped: this is a run that fresh.sh started'
	finish
fi
KVAOT_FRESH=1
export KVAOT_FRESH
unset KVAOT_CACHE || :
copy_tree "$tmp/tree"

# lasts LOG: the last line of a run of tests says that none failed; else those
# that did are shown with what they said.
lasts() {
	tail -n 1 "$1" | grep -qE '^[1-9][0-9]* passed, 0 failed$' || {
		grep -E '^(    |FAILED|tests/.*:[FE]:)' "$1" | tail -n 40
		fail "the last line of $1 is not 'N passed, 0 failed'"
	}
}

exits 0 env -C "$tmp/tree" ./bootstrap
says "$tmp/out" 'softmax float32 1024x1024' bootstrap
says "$tmp/out" 'of copy' bootstrap
says "$tmp/out" 'softmax.1, one kernel' bootstrap
# Again at no cost: nothing is compiled.
before=$("$tmp/tree/out/bin/kvobj" stats)
exits 0 env -C "$tmp/tree" ./bootstrap
[ "$("$tmp/tree/out/bin/kvobj" stats)" = "$before" ] ||
	fail 'the second bootstrap compiled kernels'

if unshare -n true 2>/dev/null; then
	without='unshare -n'
elif unshare -rn true 2>/dev/null; then
	without='unshare -rn'
else
	without=
	echo 'skipped: no network name space may be made here'
fi
[ -z "$without" ] || {
	rm -rf "$tmp/tree/out"
	exits 0 $without env -C "$tmp/tree" ./bootstrap check
	cp "$tmp/out" "$tmp/offline"
	lasts "$tmp/offline"
}

debian() {
	root=$tmp/debian
	debootstrap --variant=minbase --include=ca-certificates bookworm "$root" \
	    >"$tmp/log" 2>&1 || {
		echo "skipped: debootstrap: $(tail -n 1 "$tmp/log")"
		return
	}
	copy_tree "$root/kvaot"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	exits 0 unshare -m sh -c 'mount -t proc proc "$1/proc" &&
	    exec chroot "$1" /kvaot/bootstrap check' sh "$root"
	cp "$tmp/out" "$tmp/debian.log"
	lasts "$tmp/debian.log"
}

if ! command -v debootstrap >/dev/null || [ "$(id -u)" -ne 0 ]; then
	echo 'skipped: debootstrap is not there, or this is not root'
elif ! timeout 60 debootstrap --print-debs --variant=minbase bookworm \
    "$tmp/none" >/dev/null 2>&1; then
	echo 'offline: debootstrap not tried'
else
	debian
fi
finish
