#!/bin/sh
# Every program of the machine that the tests of set-up run on. It notes the call and does what the file beside it says,
# which may use $disk, the folder that passes for the machine's disk, and create, which makes another such program.
disk=${0%/usr/*}
name=${0#"$disk"}
PATH=/usr/bin:/bin

create() { # FILE ANSWER
    mkdir -p "${1%/*}"
    ln -sf "$(readlink "$0")" "$1"
    echo "$2" >"$1.sh"
}

case $name in
/usr/local/bin/*) name=${name##*/} ;;
esac
echo "$name $*" >>"$disk/log"
. "$0.sh"
