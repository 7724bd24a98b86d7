/* SPDX-License-Identifier: Apache-2.0 */
#include "container_spec.h"

#include "container_sweep.h"

extern const char fer_text_ferrule_python[];

/*
 * Before the module: lines go by standard input and output, which the program itself has no more;
 * what it prints becomes lines, and what its children print standard error.
 */
static const char stdio_python[] =
    "import os as _os, sys as _sys, io as _io\n"
    "_os.dup2(0, 3); _os.dup2(1, 4)\n"
    "_os.dup2(_os.open('/dev/null', _os.O_RDONLY), 0); _os.dup2(2, 1)\n"
    "class _Printed(_io.TextIOBase):\n"
    "    encoding = 'utf-8'\n"
    "    def writable(self): return True\n"
    "    def write(self, text):\n"
    "        for at in range(0, len(text), 65536):\n"
    "            _lines.say({'op': 'print', 'text': text[at:at + 65536]})\n"
    "        return len(text)\n"
    "_sys.stdout = _Printed()\n";

static void add_command(fer_buf *b, const fer_container_settings *s, const fer_job *j)
{
    fer_buf_add_char(b, '[');
    for (size_t i = 0; i < s->command_count; i++) {
        fer_buf_add_quoted(b, s->command[i]);
        fer_buf_add_char(b, ',');
    }
    if (s->python) {
        fer_buf_add_text(b, "\"-I\",\"-c\",\"");
        fer_buf_add_escaped(b, fer_str_of(stdio_python));
        fer_buf_add_escaped(b, fer_str_of(fer_text_ferrule_python));
        fer_buf_add_char(b, '"');
    } else {
        fer_buf_add_quoted(b, j->code);
    }
    fer_buf_add_char(b, ']');
}

static void add_ulimit(fer_buf *b, const char *name, int64_t value)
{
    fer_buf_printf(b, "{\"Name\":\"%s\",\"Soft\":%lld,\"Hard\":%lld},", name, (long long)value,
                   (long long)value);
}

static void add_limits(fer_buf *b, const fer_job *j)
{
    const int64_t *most = j->bounds;
    long long memory = (long long)most[FER_BOUND_MEMORY];
    fer_buf_printf(b, "\"Memory\":%lld,\"MemorySwap\":%lld,\"PidsLimit\":%lld,", memory, memory,
                   (long long)most[FER_BOUND_PROCESSES]);
    fer_buf_printf(b,
                   "\"Tmpfs\":{\"/work\":\"rw,noexec,nosuid,nodev,size=%lld,"
                   "mode=1777\"},",
                   (long long)most[FER_BOUND_DISK]);
    fer_buf_add_text(b, "\"Ulimits\":[");
    add_ulimit(b, "cpu", (most[FER_BOUND_CPU] + 999) / 1000);
    add_ulimit(b, "nproc", most[FER_BOUND_PROCESSES]);
    add_ulimit(b, "core", 0);
    fer_buf_add_text(b, "{\"Name\":\"nofile\",\"Soft\":256,\"Hard\":256}]");
}

void fer_container_spec_write(fer_buf *b, const fer_container_settings *s, fer_str mark,
                              const fer_job *j)
{
    fer_buf_add_text(b, "{\"Image\":");
    fer_buf_add_quoted(b, s->image);
    fer_buf_add_text(b, ",\"Cmd\":");
    add_command(b, s, j);
    fer_buf_printf(b,
                   ",\"Entrypoint\":[],\"Env\":[\"HOME=/work\",\"TMPDIR=/work\",\"LANG=C.UTF-8\","
                   "\"PYTHONUTF8=1\",\"TOOL_DEADLINE_MS=%lld\"],",
                   (long long)j->bounds[FER_BOUND_TIME]);
    fer_buf_add_text(b,
                     "\"User\":\"65534:65534\",\"WorkingDir\":\"/work\",\"Hostname\":\"sandbox\","
                     "\"Tty\":false,\"OpenStdin\":true,\"StdinOnce\":true,\"AttachStdin\":true,"
                     "\"AttachStdout\":true,\"AttachStderr\":true,\"NetworkDisabled\":true,"
                     "\"Labels\":{\"ferrule\":\"code\"");
    if (mark.len) {
        fer_buf_add_text(b, ",\"" FER_SWEEP_LABEL "\":");
        fer_buf_add_quoted(b, mark);
    }
    fer_buf_add_text(b, "},\"HostConfig\":{\"NetworkMode\":\"none\","
                        "\"IpcMode\":\"private\",\"ReadonlyRootfs\":true,\"Privileged\":false,"
                        "\"CapDrop\":[\"ALL\"],\"SecurityOpt\":[\"no-new-privileges\"],");
    add_limits(b, j);
    fer_buf_add_text(b, "}}");
}
