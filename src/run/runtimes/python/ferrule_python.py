# SPDX-License-Identifier: Apache-2.0
# What begins Python code: started as `python3 -I -c THIS`, it reads one line from descriptor 3 that holds the program,
# runs it with `tools` and `ToolError`, and tells its value, `__out` or its last expression, over descriptor 4. The lines
# are those of docs/code.md. A program can also import it: `from ferrule import tools`.
import ast
import json
import sys
import threading
import traceback
import types


class ToolError(Exception):
    """A tool call that failed: code, category, retryable, details."""

    def __init__(self, error, tool=None):
        super().__init__(error.get("message", ""))
        self.code = error.get("code")
        self.category = error.get("category")
        self.retryable = error.get("retryable", False)
        self.details = error.get("details")
        self.tool = tool


class _Lines:
    def __init__(self):
        self.read_end = open(3, "r", encoding="utf-8", newline="\n", closefd=False)
        self.write_end = open(4, "w", encoding="utf-8", newline="\n", closefd=False)
        self.lock = threading.Lock()
        self.last = 0

    def read(self):
        line = self.read_end.readline()
        if not line:
            raise SystemExit(0)
        return json.loads(line)

    def say(self, message):
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self.write_end.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
        self.write_end.flush()

    def ask(self, op, **members):
        with self.lock:
            self.last += 1
            self.say({"id": self.last, "op": op, **{k: v for k, v in members.items() if v is not None}})
            while True:
                answer = self.read()
                if answer.get("id") == self.last:
                    break
        if "error" in answer:
            raise ToolError(answer["error"], members.get("tool"))
        return answer["result"]


class _Namespace:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, tool):
        if tool.startswith("__"):
            raise AttributeError(tool)
        return lambda args=None, /, **named: tools.run(f"{self._name}:{tool}", args, **named)

    __getitem__ = __getattr__


class _Tools:
    def run(self, tool, args=None, /, **named):
        return _lines.ask("run", tool=str(tool), args={**(args or {}), **named})

    def search(self, query, namespace=None, limit=None):
        return _lines.ask("search", query=str(query), namespace=namespace, limit=limit)

    def list(self, namespace=None, limit=None):
        return _lines.ask("list", namespace=namespace, limit=limit)

    def namespaces(self, limit=None):
        return _lines.ask("namespaces", limit=limit)

    def describe(self, tool, level=None):
        return _lines.ask("describe", tool=str(tool), level=level)

    def chain(self, steps, input=None):
        return _lines.ask("chain", steps=steps, input=input)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Namespace(name)

    __getitem__ = __getattr__


_lines = _Lines()
tools = _Tools()
_module = types.ModuleType("ferrule")
_module.tools, _module.ToolError = tools, ToolError
sys.modules["ferrule"] = _module
_FILE = "code.py"
_VERBS = {"run", "search", "list", "namespaces", "describe", "chain"}


def _fail(error):
    told = {"name": type(error).__name__, "message": str(error)}
    if isinstance(error, SyntaxError) and error.filename == _FILE:
        told["message"] = error.msg
        if error.lineno:
            told.update(line=error.lineno, column=error.offset or 1)
    else:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == _FILE]
        if frames:
            told.update(line=frames[-1].lineno, column=(frames[-1].colno or 0) + 1 if sys.version_info >= (3, 11) else 1)
    if isinstance(error, ToolError):
        told.update({k: v for k, v in (("code", error.code), ("tool", error.tool)) if v})
    if isinstance(error, MemoryError):
        told["limit"] = "memoryBytes"
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    told["stack"] = "".join(line for line in lines if "<string>" not in line)[:4096]
    sys.stdout.flush()
    sys.stderr.flush()
    _lines.say({"op": "fail", "error": told})
    sys.exit(1)


def _tool_of(node):
    """The tool that a call names: its ID, or None where it is computed; False where it names none."""
    f = node.func
    if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == "tools":
        if f.attr != "run":
            return False
        first = node.args[0] if node.args else None
        return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None

    def part(n):
        if isinstance(n, ast.Attribute):
            return n.value, n.attr
        if isinstance(n, ast.Subscript):
            return n.value, n.slice.value if isinstance(n.slice, ast.Constant) else None
        return None, None

    inner, name = part(f)
    base, ns = part(inner) if inner is not None else (None, None)
    if not (isinstance(base, ast.Name) and base.id == "tools") or ns in _VERBS:
        return False
    return f"{ns}:{name}" if ns and name else None


def _check(tree):
    uses = []
    for node in ast.walk(tree):
        tool = _tool_of(node) if isinstance(node, ast.Call) else False
        if tool is not False and len(uses) < 1000:
            uses.append({"tool": tool, "line": node.lineno, "column": node.col_offset + 1})
    _lines.say({"op": "uses", "tools": uses})


def _run(tree):
    space = {"__name__": "__main__", "tools": tools, "ToolError": ToolError}
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, _FILE, "exec"), space)
    value = eval(compile(ast.Expression(last.value), _FILE, "eval"), space) if last else None
    value = space.get("__out", value)
    sys.stdout.flush()
    sys.stderr.flush()
    _lines.say({"op": "out", "value": value})


def _main():
    start = _lines.read()
    try:
        tree = ast.parse(start["code"], _FILE)
        if start.get("check"):
            _check(tree)
        else:
            _run(tree)
    except Exception as error:
        _fail(error)
    _lines.say({"op": "done"})


_main()
