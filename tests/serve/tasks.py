#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks through the gateway, in the way of either era and between them: what begins one, how it is asked for and ended, and that nobody
reaches another's (A49). Speaks TAP."""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
import bridge_site  # noqa: E402
from bridge_site import code, is_it, row, words_of  # noqa: E402
from command_line import case, finish  # noqa: E402

EXTENSION = "io.modelcontextprotocol/tasks"
CAN = {"extensions": {EXTENSION: {}}}
OVER = ("completed", "failed", "cancelled")


def get(client, name):
    end = time.monotonic() + 20
    while True:
        r = client.request("tasks/get", {"taskId": name})
        if r.get("result", {}).get("status") in (*OVER, None) or time.monotonic() > end:
            return r
        time.sleep(0.05)


def begin(client, tool, **more):
    return client.request("tools/call", {"name": tool, "arguments": {}, **more}).get("result", {})


# ---- a client of 2026-07-28, servers of both eras: the same is seen ----


def ends(tool, status, holds):
    def run(site):
        client = site.client("ann", CAN)
        task = begin(client, tool)
        problems = is_it((task.get("resultType"), task.get("task"), task.get("ttlMs"), task.get("ttl")), ("task", None, 60000, None))
        r = get(client, task["taskId"])["result"]
        problems += is_it((r["resultType"], r["status"], r["taskId"], r["ttlMs"]), ("complete", status, task["taskId"], 60000))
        return problems + ([] if holds(r) else [json.dumps(r)])
    return run


def cancels(site):
    client = site.client("ann", CAN)
    name = begin(client, "job_sleeps")["taskId"]
    ack = client.request("tasks/cancel", {"taskId": name})["result"]
    problems = is_it((ack["resultType"], "taskId" in ack), ("complete", False))
    return problems + is_it(get(client, name)["result"]["status"], "cancelled")


def others(site):
    """A49: names of tasks that are another's, or nobody's, are not there."""
    ann, ben = site.client("ann", CAN), site.client("ben", CAN)
    name = begin(ann, "job_sleeps")["taskId"]
    problems = []
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        more = {"inputResponses": {}} if method == "tasks/update" else {}
        wrong = [(ben, name), (ann, name[:-2] + "AA"), (ann, name + "AAAA"), (ann, "B" + name[1:]), (ann, "x")]
        problems += is_it([code(c.request(method, {"taskId": n, **more})) for c, n in wrong], [-32602] * len(wrong))
    problems += is_it(get_once(ann, name), "working")
    ann.request("tasks/cancel", {"taskId": name})
    return problems


def get_once(client, name):
    return client.request("tasks/get", {"taskId": name}).get("result", {}).get("status")


def undeclared(site):
    client = site.client("ann", {})
    r = [client.request(m, {"taskId": "x"}) for m in ("tasks/get", "tasks/update", "tasks/cancel")]
    problems = is_it([(code(x), x["error"].get("data", {}).get("requiredCapabilities")) for x in r], [(-32021, {"extensions": {EXTENSION: {}}})] * 3)
    return problems + is_it("taskId" in json.dumps(begin(client, "job")), False)


def offered(site):
    can = site.client("ann", CAN).request("server/discover")["result"]["capabilities"]
    return is_it((can.get("extensions"), can.get("tasks")), ({EXTENSION: {}}, None))


def removed(site):
    client = site.client("ann", CAN)
    return is_it([code(client.request(m, {"taskId": "x"})) for m in ("tasks/result", "tasks/list")], [-32601] * 2)


NEWER = [
    ("it is offered", offered),
    ("to its end", ends("job", "completed", lambda r: r["result"]["content"][0]["text"] == "worked" and "related-task" not in json.dumps(r))),
    ("a tool that fails", ends("job_fails", "completed", lambda r: r["result"]["isError"] is True)),
    ("an error of the protocol", ends("job_breaks", "failed", lambda r: r["error"]["code"] == -32603 and "result" not in r)),
    ("cancelled", cancels),
    ("A49 those of others", others),
    ("a client that did not declare it", undeclared),
    ("methods of the experiment", removed),
]
for backend in ("legacy", "modern"):
    for carrier in ("stdio", "http"):
        site = bridge_site.Site(backend, carrier)
        for name, run in NEWER:
            row(f"newer client, {backend} server over {carrier}: {name}", run, site)
        case(f"newer client, {backend} server over {carrier}: the end", is_it(site.end(), 0))

# ---- a client of 2025-11-25 ----


def older(site):
    client = site.client("ann", modern=False)
    can = client.open()["result"]["capabilities"].get("tasks")
    problems = is_it(can, {"cancel": {}, "requests": {"tools": {"call": {}}}})
    task = begin(client, "job", task={"ttl": 60000})
    problems += is_it(sorted(task), ["task"])
    name = task["task"]["taskId"]
    problems += is_it(get(client, name)["result"]["taskId"], name)
    result = client.request("tasks/result", {"taskId": name})["result"]
    problems += is_it((result["content"][0]["text"], result["_meta"]), ("worked", {"io.modelcontextprotocol/related-task": {"taskId": name}, "own": 1}))
    sleeping = begin(client, "job_sleeps", task={})["task"]["taskId"]
    problems += is_it(client.request("tasks/cancel", {"taskId": sleeping})["result"]["status"], "cancelled")
    other = site.client("ben", modern=False)
    other.open()
    problems += is_it([code(other.request(m, {"taskId": name})) for m in ("tasks/get", "tasks/result", "tasks/cancel")], [-32602] * 3)
    return problems + is_it(code(client.request("tasks/list")), -32601)


def older_to_newer(site):
    """A server of 2026-07-28 has no tasks for an older client: it waits for the result."""
    client = site.client("ann", modern=False)
    problems = is_it(client.open()["result"]["capabilities"].get("tasks"), None)
    return problems + is_it(words_of(client.call("job")), "worked") + is_it(code(client.request("tasks/get", {"taskId": "x"})), -32601)


for backend, run in (("legacy", older), ("modern", older_to_newer)):
    site = bridge_site.Site(backend)
    row(f"older client, {backend} server", run, site)
    case(f"older client, {backend} server: the end", is_it(site.end(), 0))
finish()
