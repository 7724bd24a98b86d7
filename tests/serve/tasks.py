#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks through the gateway, in the way of either era and between them: what begins one, how it is asked for and ended, who is told of it, how
it is answered what it asks, and that nobody reaches another's (A49). Speaks TAP."""

import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
import bridge_site  # noqa: E402
from bridge_client import ANSWERS, META  # noqa: E402
from bridge_site import code, is_it, row, until, words_of  # noqa: E402
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
    problems += is_it(told(ben, [name]), [])
    problems += is_it(get_once(ann, name), "working")
    ann.request("tasks/cancel", {"taskId": name})
    return problems


def told(client, names, **more):
    """Listens to tasks; those of them of which it is to be told."""
    client.begin("subscriptions/listen", {"notifications": {"taskIds": names, **more}})
    ack = client.until("notifications/subscriptions/acknowledged")
    return ack[0]["notifications"].get("taskIds", []) if ack else None


def listens(site, client, name):
    """The same, until a server that has to be told of it was."""
    problems = is_it(told(client, [name, "x"], toolsListChanged=True), [name])
    if site.modern and not until(lambda: any(m["wants"].get("taskIds") for m in site.heard("listen"))):
        problems += ["the server was not told"]
    return problems


def news(site):
    client = site.client("ann", CAN)
    name = begin(client, "job_held")["taskId"]
    problems = listens(site, client, name)
    client.call("let_go")
    client.until("notifications/tasks")
    n = client.until("notifications/tasks")[-1]
    problems += is_it((n["taskId"], n["status"], n["ttlMs"], n["result"]["content"][0]["text"], META + "subscriptionId" in n["_meta"]), (name, "completed", 60000, "worked", True))
    return problems + ([] if "related-task" not in json.dumps(n) else ["it names itself twice"])


def told_of_cancel(site):
    client = site.client("ann", CAN)
    name = begin(client, "job_held")["taskId"]
    problems = listens(site, client, name)
    client.request("tasks/cancel", {"taskId": name})
    return problems + is_it([(n["taskId"], n["status"]) for n in client.until("notifications/tasks")], [(name, "cancelled")])


def needs_input(client, name):
    """The task, once it has said what it wants to know."""
    until(lambda: get_once(client, name) == "input_required")
    return client.request("tasks/get", {"taskId": name})["result"]


ANSWER = json.dumps(ANSWERS["elicitation/create"], sort_keys=True)


def asks(site):
    client = site.client("ann", {**CAN, "elicitation": {}})
    name = begin(client, "job_asks")["taskId"]
    r = needs_input(client, name)
    problems = is_it((r["status"], r["taskId"], [(q["method"], q["params"]["message"], "_meta" in q["params"]) for q in r["inputRequests"].values()]),
                     ("input_required", name, [("elicitation/create", "Which colour?", False)]))
    key = list(r["inputRequests"])[0]
    problems += is_it(list(client.request("tasks/get", {"taskId": name})["result"]["inputRequests"]), [key])
    if not site.modern:
        problems += is_it(code(client.request("tasks/update", {"taskId": name, "inputResponses": 1})), -32602)
        problems += is_it(client.request("tasks/update", {"taskId": name, "inputResponses": {"other": {}}})["result"]["resultType"], "complete")
        problems += is_it(get_once(client, name), "input_required")
    ack = client.request("tasks/update", {"taskId": name, "inputResponses": {key: ANSWERS["elicitation/create"]}})["result"]
    problems += is_it((ack["resultType"], "taskId" in ack), ("complete", False))
    problems += is_it(get(client, name)["result"]["result"]["content"][0]["text"], ANSWER)
    return problems + ([] if site.modern else is_it([m["related"] for m in site.heard("answered")], [True]))


def told_that_it_asks(site):
    client = site.client("ann", {**CAN, "elicitation": {}})
    name = begin(client, "job_asks_later")["taskId"]
    problems = listens(site, client, name)
    client.call("let_go")
    n = client.until("notifications/tasks")[0]
    problems += is_it((n["taskId"], n["status"], [q["method"] for q in n["inputRequests"].values()]), (name, "input_required", ["elicitation/create"]))
    client.request("tasks/update", {"taskId": name, "inputResponses": {list(n["inputRequests"])[0]: ANSWERS["elicitation/create"]}})
    n = client.until("notifications/tasks", 2)[-1]
    return problems + is_it((n["status"], n["result"]["content"][0]["text"]), ("completed", ANSWER))


def asks_nobody(site):
    """What a client has not declared it is not asked for: the older server's question is refused, and its task goes on."""
    client = site.client("ann", CAN)
    name = begin(client, "job_asks")["taskId"]
    r = get(client, name)["result"]
    return is_it((r["status"], "refused" in json.dumps(r)), ("failed", True))


def get_once(client, name):
    return client.request("tasks/get", {"taskId": name}).get("result", {}).get("status")


def undeclared(site):
    client = site.client("ann", {})
    r = [client.request(m, {"taskId": "x"}) for m in ("tasks/get", "tasks/update", "tasks/cancel")]
    problems = is_it([(code(x), x["error"].get("data", {}).get("requiredCapabilities")) for x in r], [(-32021, {"extensions": {EXTENSION: {}}})] * 3)
    r = client.request("subscriptions/listen", {"notifications": {"taskIds": ["x"]}})
    problems += is_it((code(r), r["error"]["data"]["requiredCapabilities"]), (-32021, {"extensions": {EXTENSION: {}}}))
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
    ("its end is told", news),
    ("that it was cancelled is told", told_of_cancel),
    ("one that asks for input", asks),
    ("that it asks is told", told_that_it_asks),
    ("A49 those of others", others),
    ("a client that did not declare it", undeclared),
    ("methods of the experiment", removed),
]
# Those of 2026-07-28 see for themselves what a client has declared.
OF_OLDER = [("one that asks a client who cannot answer", asks_nobody)]
for backend in ("legacy", "modern"):
    for carrier in ("stdio", "http"):
        site = bridge_site.Site(backend, carrier)
        for name, run in NEWER + ([] if site.modern else OF_OLDER):
            row(f"newer client, {backend} server over {carrier}: {name}", run, site)
        case(f"newer client, {backend} server over {carrier}: the end", is_it(site.end(), 0))

# ---- a client of 2025-11-25 ----


def listed(client):
    """The names of all pages."""
    names, more = set(), {}
    while True:
        r = client.request("tasks/list", more)["result"]
        names |= {t["taskId"] for t in r["tasks"]}
        if "nextCursor" not in r:
            return names
        more = {"cursor": r["nextCursor"]}


def older_news(client, other):
    """What becomes of a task is told to who began it."""
    for c in (client, other):
        c.listen()
    name = begin(client, "job_held", task={})["task"]["taskId"]
    client.call("let_go")
    n = client.until("notifications/tasks/status")
    while n and n[-1]["taskId"] != name:
        n = client.until("notifications/tasks/status", len(n) + 1)
    return is_it((n[-1]["taskId"], n[-1]["status"], n[-1]["ttl"]), (name, "completed", 60000)) + is_it(other.until("notifications/tasks/status", 1, 0), [])


def older_asks(site, client):
    name = begin(client, "job_asks", task={})["task"]["taskId"]
    r = client.request("tasks/result", {"taskId": name})["result"]
    return is_it((r["content"][0]["text"], client.related), (ANSWER, name)) + is_it([m["related"] for m in site.heard("answered")], [True])


def older(site):
    client = site.client("ann", modern=False)
    can = client.open()["result"]["capabilities"].get("tasks")
    problems = is_it(can, {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}})
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
    problems += is_it(older_news(client, other), [])
    problems += is_it(older_asks(site, client), [])
    mine = {name, sleeping, begin(client, "job", task={})["task"]["taskId"]}
    theirs = begin(other, "job", task={})["task"]["taskId"]
    problems += is_it((mine <= listed(client), theirs in listed(client), listed(other)), (True, False, {theirs}))
    problems += is_it([code(c.request("tasks/list", {"cursor": x})) for c, x in ((client, "x"), (client, name), (client, 1))], [-32602] * 3)
    problems += is_it([code(other.request(m, {"taskId": name})) for m in ("tasks/get", "tasks/result", "tasks/cancel")], [-32602] * 3)
    return problems


def older_to_newer(site):
    """A server of 2026-07-28 has no tasks for an older client: it waits for the result."""
    client = site.client("ann", modern=False)
    problems = is_it(client.open()["result"]["capabilities"].get("tasks"), None)
    problems += is_it(words_of(client.call("job")), "worked")
    return problems + is_it([code(client.request(m, {"taskId": "x"})) for m in ("tasks/get", "tasks/list")], [-32601] * 2)


for backend, run in (("legacy", older), ("modern", older_to_newer)):
    for carrier in ("stdio", "http"):
        site = bridge_site.Site(backend, carrier)
        row(f"older client, {backend} server over {carrier}", run, site)
        case(f"older client, {backend} server over {carrier}: the end", is_it(site.end(), 0))


def reloaded(site):
    """A server that a reload has made anew is told again what is watched, also where somebody has looked at it before it was connected."""
    client = site.client("ann", CAN)
    name = begin(client, "job_held")["taskId"]
    problems = listens(site, client, name)

    def times():
        return len([m for m in site.heard("listen") if m["wants"].get("taskIds")])
    before = times()
    site.backend.send_signal(signal.SIGSTOP)  # it takes its time
    site.reload(headers={"X-Another": "1"})
    time.sleep(0.5)
    site.client("ben", CAN).begin("prompts/list", {})
    time.sleep(0.5)
    site.backend.send_signal(signal.SIGCONT)
    problems += [] if until(lambda: times() > before) else ["the server was not told again"]
    client.call("let_go")
    client.until("notifications/tasks")
    n = client.until("notifications/tasks")[-1]
    return problems + is_it((n["taskId"], n["status"]), (name, "completed"))


site = bridge_site.Site("modern", "http")
row("a task is watched, and a reload makes its server anew", reloaded, site)
case("the end after a reload", is_it(site.end(), 0))
# ---- limits, at their edges ----

KEPT, ERRANDS, ATTENDED = 1000, 256, 8


def kept(site):
    """serve.tasks: of more than so many the oldest is forgotten, and can be asked for still."""
    client = site.client("ann", modern=False)
    client.open()

    def one(_):
        return begin(client, "job", task={})["task"]["taskId"]
    first = one(0)
    with ThreadPoolExecutor(16) as pool:
        names = set(pool.map(one, range(KEPT - 1)))
    problems = is_it(listed(client) == names | {first}, True)
    names.add(one(0))
    return problems + is_it(listed(client) == names, True) + is_it(get(client, first)["result"]["status"], "completed")


def errands(site):
    """serve.task_errands: the end of one more task is not told; tasks/get has it."""
    client = site.client("ben", CAN)
    names = [begin(client, "job_sticks")["taskId"] for _ in range(ERRANDS + 1)]
    problems = is_it(told(client, names), names[::-1])
    ended = len(site.heard("ended"))
    client.call("let_go")
    until(lambda: len(site.heard("fetched")) == ERRANDS and len(site.heard("ended")) == ended + ERRANDS + 1, 60)
    client.call("hand_out")  # behind what the server has said
    client.until("notifications/tasks", ERRANDS, 60)
    ends = {n["taskId"] for n in client.until("notifications/tasks", ERRANDS)}
    problems += is_it(len(ends), ERRANDS)
    left = (set(names) - ends).pop()
    return problems + is_it(get(client, left)["result"]["status"], "completed")


def attended(site):
    """serve.task_attended: one more task than may ask waits for its turn."""
    client = site.client("cat", {**CAN, "elicitation": {}})
    names = [begin(client, "job_asks")["taskId"] for _ in range(ATTENDED + 1)]
    for name in names[:ATTENDED]:
        until(lambda name=name: get_once(client, name) == "input_required")
    problems = is_it([get_once(client, n) for n in names], ["input_required"] * ATTENDED + ["working"])
    r = needs_input(client, names[0])
    client.request("tasks/update", {"taskId": names[0], "inputResponses": {list(r["inputRequests"])[0]: ANSWERS["elicitation/create"]}})
    return problems + ([] if until(lambda: get_once(client, names[-1]) == "input_required") else ["its turn did not come"])


site = bridge_site.Site("legacy")
for name, run in (("serve.tasks", kept), ("serve.task_errands", errands), ("serve.task_attended", attended)):
    row(f"{name}, at its edge", run, site)
case("limits: the end", is_it(site.end(), 0))
finish()
