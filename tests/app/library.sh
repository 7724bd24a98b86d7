#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library as its users meet it: the example programs run, an installed copy is found by pkg-config,
# and only public names are exported. Speaks TAP. Arguments: build folder, source folder.
build=$1 source=$2
n=0 bad=0
case_() {
    n=$((n + 1))
    name=$1
    shift
    if out=$("$@" 2>&1); then echo "ok $n - $name"; else
        echo "not ok $n - $name"
        echo "$out" | sed 's/^/#   /'
        bad=1
    fi
}
export LD_LIBRARY_PATH=$build

examples_c() {
    out=$("$build/examples/check_tools" examples/toolset/drafts.json)
    [ $? -eq 1 ] && echo "$out" | grep -q 'drafts.json:4:15: \[name.charset\]' && echo "$out" | grep -q '^3 tools, ' || { echo "$out"; return 1; }
}
examples_cc() {
    out=$("$build/examples/find_tool" tickets:create_issue '^1.2' examples/toolset/tickets.json) || { echo "$out"; return 1; }
    echo "$out" | grep -q '^tickets:create_issue:1.4.0$' && echo "$out" | grep -q 'idempotency key required' || { echo "$out"; return 1; }
}
examples_threads() {
    out=$("$build/examples/validate_threads") || { echo "$out"; return 1; }
    echo "$out" | grep -q '^4 threads: 3086 valid, 914 invalid, 0 failed$' || { echo "$out"; return 1; }
}
examples_search() {
    out=$("$build/examples/search_tools" "open a new issue" examples/toolset/tickets.json) || { echo "$out"; return 1; }
    echo "$out" | grep -q '^tickets:create_issue:1.4.0: ' || { echo "$out"; return 1; }
}
exports() {
    # Only what the public headers declare leaves the library.
    nm -D --defined-only "$build/libferrule.so" | awk '$2 ~ /[TDBR]/ {print $3}' | sort >"$tmp/exported"
    cat include/ferrule/*.h | tr '\n' ' ' | grep -oE 'FER_API[^;]*;' | grep -oE '\bfer_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$tmp/declared"
    diff "$tmp/exported" "$tmp/declared"
}
installed() {
    DESTDIR=$tmp/root meson install -C "$build" --no-rebuild >"$tmp/log" 2>&1 || { tail "$tmp/log"; return 1; }
    pc=$(find "$tmp/root" -name ferrule.pc) || return 1
    [ -n "$pc" ] || { echo "no ferrule.pc"; return 1; }
    prefix=$tmp/root/usr/local
    libdir=$(dirname "$(dirname "$pc")")
    cc "$source/examples/check_tools.c" -o "$tmp/prog" $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --define-variable=prefix="$prefix" --define-variable=libdir="$libdir" --define-variable=includedir="$prefix/include" --cflags --libs ferrule) || return 1
    LD_LIBRARY_PATH=$libdir "$tmp/prog" "$source/examples/toolset/tickets.json" | grep -q '^2 tools, 0 findings$' || return 1
    for f in bin/ferrule share/man/man1/ferrule.1 share/bash-completion/completions/ferrule share/zsh/site-functions/_ferrule share/fish/vendor_completions.d/ferrule.fish; do
        [ -s "$prefix/$f" ] || { echo "not installed: $f"; return 1; }
    done
    readelf -d "$libdir/libferrule.so" | grep -q 'SONAME.*libferrule.so.0' || { echo "no soname"; return 1; }
}

cd "$source" || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case_ "example in C" examples_c
case_ "example that searches" examples_search
case_ "example in C++" examples_cc
case_ "example with threads" examples_threads
if [ -n "${FERRULE_INSTRUMENTED:-}" ]; then
    for name in "only public names are exported" "installed copy, pkg-config, man page, completions"; do
        n=$((n + 1)) && echo "ok $n - $name # SKIP a build with sanitizers or coverage is not delivered"
    done
else
    case_ "only public names are exported" exports
    case_ "installed copy, pkg-config, man page, completions" installed
fi
echo "1..$n"
exit $bad
