#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The MCP server that the scenarios of the official suite of conformance ask for, over stdio: the tools, resources and prompts
that they name, and what each of them is to do. `fixture.py legacy` speaks 2025-11-25, `fixture.py modern` 2026-07-28."""

import hashlib
import hmac
import json
import os
import sys
import threading
import time

MODERN = sys.argv[1] == "modern"
META = "io.modelcontextprotocol/"
KEY = os.urandom(16)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
lock = threading.Lock()
waiting, counter, listens = {}, [0], {}


def say(message):
    with lock:
        sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
        sys.stdout.flush()


def note(method, params):
    say({"jsonrpc": "2.0", "method": method, "params": params})


class Fault(Exception):
    def __init__(self, code, text, data=None):
        super().__init__(text)
        self.error = {"code": code, "message": text}
        if data is not None:
            self.error["data"] = data


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def ask(method, params):
    """A request of the older kind; waits for its answer."""
    with lock:
        counter[0] += 1
        number = counter[0]
        waiting[number] = [threading.Event(), None]
    say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    waiting[number][0].wait(30)
    answer = waiting.pop(number)[1] or {}
    if "error" in answer:
        raise Fault(-32603, answer["error"]["message"])
    return answer.get("result", {})


def seal(state):
    return state + "." + hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()


def unseal(sealed):
    state, _, sign = sealed.rpartition(".")
    if seal(state) != sealed or not sign:
        raise Fault(-32602, "requestState was tampered with")
    return state


def form(words, **properties):
    return {"method": "elicitation/create",
            "params": {"message": words, "requestedSchema": {"type": "object", "properties": properties, "required": list(properties)}}}


NAME = form("What is your name?", name={"type": "string"})
SAMPLE = {"method": "sampling/createMessage",
          "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}], "maxTokens": 100}}
ROOTS = {"method": "roots/list", "params": {}}


def want(state=None, **requests):
    result = {"resultType": "input_required", "inputRequests": requests}
    if state:
        result["requestState"] = seal(state)
    return result


# ---- tools ----


def logging(params, meta):
    for words in ("started", "at it", "done"):
        note("notifications/message", {"level": "info", "logger": "fixture", "data": words})
        time.sleep(0.05)
    return text("logged")


def progress(params, meta):
    for n in (0, 50, 100):
        if "progressToken" in meta:
            note("notifications/progress", {"progressToken": meta["progressToken"], "progress": n, "total": 100, "message": f"{n} of 100"})
        time.sleep(0.05)
    return text("progressed")


def reconnection(params, meta):
    """Takes longer than a stream of the gateway's lasts (pollMs)."""
    time.sleep(2)
    return text("reconnected")


def sampling(params, meta):
    prompt = params.get("arguments", {}).get("prompt", "")
    answer = ask("sampling/createMessage", {"messages": [{"role": "user", "content": {"type": "text", "text": prompt}}], "maxTokens": 100})
    return text("LLM response: " + answer.get("content", {}).get("text", ""))


def elicit(words, properties, required=()):
    answer = ask("elicitation/create", {"message": words, "requestedSchema": {"type": "object", "properties": properties, "required": list(required)}})
    return text(f"{words}: action={answer.get('action')}, content={json.dumps(answer.get('content', {}))}")


def elicitation(params, meta):
    return elicit(params.get("arguments", {}).get("message", ""), {"response": {"type": "string", "description": "User's response"}}, ["response"])


def defaults(params, meta):
    return elicit("Please review", {
        "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30}, "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}, "verified": {"type": "boolean", "default": True}})


def enums(params, meta):
    def titled(key):
        return [{"const": f"value{i}", "title": f"{key} {i}"} for i in (1, 2, 3)]
    three = ["option1", "option2", "option3"]
    return elicit("Please select", {
        "untitledSingle": {"type": "string", "enum": three}, "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": three}},
        "titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": titled("Choice")}}})


def given(params, key):
    responses = params.get("inputResponses")
    answer = responses.get(key) if isinstance(responses, dict) else None
    return answer if isinstance(answer, dict) else None


def ir_elicitation(params, meta):
    answer = given(params, "user_name")
    content = (answer or {}).get("content", {})
    if not isinstance(content.get("name"), str):
        return want(user_name=NAME)
    return text(f"Hello, {content['name']}!")


def ir_sampling(params, meta):
    answer = given(params, "capital_question")
    return text(answer.get("content", {}).get("text", "")) if answer else want(capital_question=SAMPLE)


def ir_roots(params, meta):
    answer = given(params, "client_roots")
    return text("roots: " + json.dumps(answer["roots"])) if answer else want(client_roots=ROOTS)


def ir_state(params, meta):
    if given(params, "confirm") and "requestState" in params:
        unseal(params["requestState"])
        return text("state-ok")
    return want("one", confirm=form("Please confirm", ok={"type": "boolean"}))


def ir_multiple(params, meta):
    if all(given(params, k) for k in ("user_name", "greeting", "client_roots")) and "requestState" in params:
        unseal(params["requestState"])
        return text("all there")
    return want("many", user_name=NAME, greeting=SAMPLE, client_roots=ROOTS)


def ir_rounds(params, meta):
    state = unseal(params["requestState"]) if "requestState" in params else ""
    if state.startswith("1") and given(params, "step1"):
        return want("2" + os.urandom(4).hex(), step2=form("What is your favourite colour?", color={"type": "string"}))
    if state.startswith("2") and given(params, "step2"):
        return text("three rounds")
    return want("1" + os.urandom(4).hex(), step1=NAME)


def ir_tampered(params, meta):
    if "requestState" in params:
        unseal(params["requestState"])
        if given(params, "confirm"):
            return text("integrity-ok")
    return want("tamper", confirm=form("Please confirm", ok={"type": "boolean"}))


def ir_capabilities(params, meta):
    can = meta.get(META + "clientCapabilities", {})
    requests = {}
    if "elicitation" in can:
        requests["elicit_input"] = NAME
    if "sampling" in can:
        requests["sample_input"] = SAMPLE
    if params.get("inputResponses") or not requests:
        return text("capabilities-ok")
    return want("capabilities", **requests)


def missing_capability(params, meta):
    if "sampling" not in meta.get(META + "clientCapabilities", {}):
        raise Fault(-32021, "sampling is needed", {"requiredCapabilities": {"sampling": {}}})
    return text("sampled")


def log_if_wanted(params, meta):
    if META + "logLevel" in meta:
        note("notifications/message", {"level": "info", "data": "looked at"})
    return text("logging looked at")


def change(kind):
    def run(params, meta):
        for name, filter_ in list(listens.items()):
            if filter_.get(kind + "ListChanged"):
                note(f"notifications/{kind}/list_changed", {"_meta": {META + "subscriptionId": name}})
        return text("changed")
    return run


def failing(params, meta):
    return text("This tool intentionally returns an error for testing", isError=True)


# ---- tasks: the extension of 2026-07-28 ----

TASKS = "io.modelcontextprotocol/tasks"
tasks = {}


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Task:
    def __init__(self, work, *words):
        self.task = {"taskId": "t-" + os.urandom(8).hex(), "status": "working", "createdAt": now(), "lastUpdatedAt": now(), "ttlMs": 60000, "pollIntervalMs": 200}
        self.asks, self.answers, self.more = {}, {}, threading.Condition()
        tasks[self.task["taskId"]] = self
        threading.Thread(target=self.run, args=(work, words), daemon=True).start()

    def turn(self, status, **more):
        with self.more:
            if self.task["status"] not in ("completed", "failed", "cancelled"):
                self.task |= {"status": status, "lastUpdatedAt": now(), **more}
            self.more.notify_all()

    def run(self, work, words):
        try:
            self.turn("completed", result={"resultType": "complete", **work(self, *words)})
        except Fault as fault:
            self.turn("failed", error=fault.error)

    def over(self):
        return self.task["status"] == "cancelled"

    def input(self, **asks):
        self.asks = asks
        self.turn("input_required")
        with self.more:
            self.more.wait_for(lambda: not self.asks or self.over(), 60)
        self.turn("working")
        return self.answers

    def update(self, answers):
        with self.more:
            for key in [k for k in self.asks if k in answers]:
                self.answers[key] = answers[key]
                del self.asks[key]
            self.more.notify_all()

    def shown(self):
        with self.more:
            return {**self.task, **({"inputRequests": dict(self.asks)} if self.task["status"] == "input_required" else {})}


def sleeps(task, params):
    end = time.monotonic() + float(params.get("arguments", {}).get("seconds", 1))
    while time.monotonic() < end and not task.over():
        time.sleep(0.05)
    return text("computed")


def fails(task, params):
    time.sleep(0.5)
    return text("it did not work", isError=True)


def breaks(task, params):
    raise Fault(-32603, "it broke")


def confirms(task, params):
    return text("deleted: " + json.dumps(task.input(confirm=form("Delete it?", ok={"type": "boolean"})).get("confirm")))


def asks_twice(task, params):
    return text("both: " + json.dumps(task.input(one=NAME, two=form("And the colour?", color={"type": "string"})), sort_keys=True))


def as_task(work, required=False):
    """A tool that is a task for whoever takes one, and a call else, or (required) an error."""
    def run(params, meta):
        if TASKS in meta.get(META + "clientCapabilities", {}).get("extensions", {}):
            return {"resultType": "task", **Task(work, params).task}
        if required:
            raise Fault(-32021, "tasks are needed", {"requiredCapabilities": {"extensions": {TASKS: {}}}})
        task = Task(work, params)
        with task.more:
            task.more.wait_for(lambda: task.task["status"] not in ("working", "input_required"), 30)
        return dict(task.task.get("result") or text("it broke", isError=True))
    return run


def asks_first(params, meta):
    answer = given(params, "user_name")
    if not answer:
        return want("task", user_name=NAME)
    return as_task(lambda task, p: text(f"Hello, {answer['content']['name']}!"), True)(params, meta)


def task_method(method, params, meta):
    if TASKS not in meta.get(META + "clientCapabilities", {}).get("extensions", {}):
        raise Fault(-32021, "tasks are needed", {"requiredCapabilities": {"extensions": {TASKS: {}}}})
    task = tasks.get(params.get("taskId"))
    if not task:
        raise Fault(-32602, "no such task")
    if method == "tasks/get":
        return task.shown()
    if method == "tasks/update":
        task.update(params.get("inputResponses") or {})
    else:
        task.turn("cancelled")
    return {}


NOTHING = {"type": "object", "properties": {}}
SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
          "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
          "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                         "phone": {"type": "string"}, "email": {"type": "string"}},
          "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
          "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
          "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": False}
RESOURCE = {"type": "resource", "resource": {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": "This is an embedded resource content."}}
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
TOOLS = {
    "test_simple_text": lambda p, m: text("This is a simple text response for testing."),
    "test_image_content": lambda p, m: {"content": [IMAGE]},
    "test_audio_content": lambda p, m: {"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]},
    "test_embedded_resource": lambda p, m: {"content": [RESOURCE]},
    "test_multiple_content_types": lambda p, m: {"content": [{"type": "text", "text": "Multiple content types test:"}, IMAGE, RESOURCE]},
    "test_error_handling": failing, "test_tool_with_progress": progress, "json_schema_2020_12_tool": lambda p, m: text("fine"),
}
TOOLS |= {
    "test_tool_with_logging": logging, "test_sampling": sampling, "test_elicitation": elicitation,
    "test_reconnection": reconnection, "test_elicitation_sep1034_defaults": defaults, "test_elicitation_sep1330_enums": enums,
} if not MODERN else {
    "test_input_required_result_elicitation": ir_elicitation, "test_input_required_result_sampling": ir_sampling,
    "test_input_required_result_list_roots": ir_roots, "test_input_required_result_request_state": ir_state,
    "test_input_required_result_multiple_inputs": ir_multiple, "test_input_required_result_multi_round": ir_rounds,
    "test_input_required_result_tampered_state": ir_tampered, "test_input_required_result_capabilities": ir_capabilities,
    "test_missing_capability": missing_capability, "test_streaming_elicitation": progress, "test_logging_tool": log_if_wanted,
    "test_trigger_tool_change": change("tools"), "test_trigger_prompt_change": change("prompts"),
    "test_x_mcp_header": lambda p, m: text(json.dumps(p.get("arguments"))), "greet": lambda p, m: text(f"Hello, {p['arguments']['name']}!"), "slow_compute": as_task(sleeps), "failing_job": as_task(fails, True),
    "protocol_error_job": as_task(breaks), "confirm_delete": as_task(confirms), "multi_input": as_task(asks_twice), "test_tool_with_task": asks_first,
}
PARAMETERS = {"test_x_mcp_header": {"region": {"type": "string", "x-mcp-header": "Region"}}, "test_sampling": {"prompt": {"type": "string"}}, "test_elicitation": {"message": {"type": "string"}}}


def schema_of(name):
    if name == "json_schema_2020_12_tool":
        return SCHEMA
    properties = PARAMETERS.get(name)
    return {"type": "object", "properties": properties, "required": list(properties)} if properties else NOTHING


# ---- resources and prompts ----

RESOURCES = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched resource content"},
}


def read(uri):
    if uri in RESOURCES:
        return {"contents": [{"uri": uri, **RESOURCES[uri]}]}
    head, tail = "test://template/", "/data"
    if uri.startswith(head) and uri.endswith(tail):
        data = {"id": uri[len(head):-len(tail)], "templateTest": True}
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": json.dumps(data)}]}
    raise Fault(-32602 if MODERN else -32002, "Resource not found", {"uri": uri})


def user(content):
    return {"role": "user", "content": content}


def words(content):
    return user({"type": "text", "text": content})


def prompt(params):
    name, args = params.get("name"), params.get("arguments") or {}
    if name == "test_simple_prompt":
        return [words("This is a simple prompt for testing.")]
    if name == "test_prompt_with_arguments":
        return [words(f"Prompt with arguments: arg1='{args.get('arg1')}', arg2='{args.get('arg2')}'")]
    if name == "test_prompt_with_embedded_resource":
        return [user({"type": "resource", "resource": {"uri": args.get("resourceUri"), "mimeType": "text/plain", "text": "Embedded."}}), words("Process it.")]
    if name == "test_prompt_with_image":
        return [user(IMAGE), words("Look at it.")]
    raise Fault(-32602, "no such prompt")


def get_prompt(params):
    if params.get("name") != "test_input_required_result_prompt":
        return {"messages": prompt(params)}
    answer = given(params, "user_context")
    if not answer:
        return want(user_context=form("What is it about?", context={"type": "string"}))
    return {"messages": [words("About " + json.dumps(answer.get("content")))]}


def arguments(*names):
    return [{"name": n, "description": n, "required": True} for n in names]


PROMPTS = [
    {"name": "test_simple_prompt", "description": "Simple"},
    {"name": "test_prompt_with_arguments", "description": "With arguments", "arguments": arguments("arg1", "arg2")},
    {"name": "test_prompt_with_embedded_resource", "description": "With a resource", "arguments": arguments("resourceUri")},
    {"name": "test_prompt_with_image", "description": "With an image"},
] + ([{"name": "test_input_required_result_prompt", "description": "Asks back"}] if MODERN else [])
CAN = {"tools": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": True}, "prompts": {"listChanged": True},
       "logging": {}, "completions": {}}
if MODERN:
    CAN["extensions"] = {TASKS: {}}
INFO = {"name": "fixture", "version": "1"}


# ---- methods ----


def call(params, meta):
    run = TOOLS.get(params.get("name"))
    if not run:
        raise Fault(-32602, "no such tool")
    return run(params, meta)


def answer(method, params, meta):
    if method == "server/discover" and MODERN:
        return {"supportedVersions": ["2026-07-28"], "capabilities": CAN, "instructions": "Test me.", "_meta": {META + "serverInfo": INFO}}
    if method == "initialize" and not MODERN:
        return {"protocolVersion": "2025-11-25", "capabilities": CAN, "instructions": "Test me.", "serverInfo": INFO}
    rows = {
        "tools/list": lambda: {"tools": [{"name": n, "description": "Tests " + n, "inputSchema": schema_of(n)} for n in TOOLS]},
        "tools/call": lambda: call(params, meta),
        "resources/list": lambda: {"resources": [{"uri": u, "name": u[7:], "mimeType": r["mimeType"]} for u, r in RESOURCES.items()]},
        "resources/templates/list": lambda: {"resourceTemplates": [{"uriTemplate": "test://template/{id}/data", "name": "template"}]},
        "resources/read": lambda: read(params["uri"]),
        "prompts/list": lambda: {"prompts": PROMPTS},
        "prompts/get": lambda: get_prompt(params),
        "completion/complete": lambda: {"completion": {"values": [], "total": 0, "hasMore": False}},
    }
    if MODERN:
        rows |= {m: lambda: task_method(method, params, meta) for m in ("tasks/get", "tasks/update", "tasks/cancel")}
    if not MODERN:
        rows |= {m: dict for m in ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")}
    if method not in rows:
        raise Fault(-32601, "no such method")
    return rows[method]()


def serve(message):
    params = message.get("params") or {}
    meta = params.get("_meta") or {}
    try:
        result = answer(message["method"], params, meta)
        if MODERN:
            result.setdefault("resultType", "complete")
        if MODERN and message["method"].endswith(("list", "read", "discover")):
            result |= {"ttlMs": 0, "cacheScope": "private"}
        say({"jsonrpc": "2.0", "id": message["id"], "result": result})
    except Fault as fault:
        say({"jsonrpc": "2.0", "id": message["id"], "error": fault.error})


for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "subscriptions/listen" and MODERN:
        listens[m["id"]] = m["params"]["notifications"]
        note("notifications/subscriptions/acknowledged", {"_meta": {META + "subscriptionId": m["id"]}, "notifications": listens[m["id"]]})
    elif m.get("method") == "notifications/cancelled":
        listens.pop(m["params"]["requestId"], None)
    elif "method" in m and "id" in m:
        threading.Thread(target=serve, args=(m,), daemon=True).start()
    elif m.get("id") in waiting:
        waiting[m["id"]][1] = m
        waiting[m["id"]][0].set()
