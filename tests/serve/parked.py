#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests of 2026-07-28 that are parked while their client answers an older server's questions: what a requestState is good for (M20 to M26),
and how what is parked ends. Speaks TAP."""

import base64
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "app")]
from bridge_client import ANSWERS  # noqa: E402
from bridge_site import Site, code, is_it, row, until, words_of  # noqa: E402
from command_line import case, finish  # noqa: E402

ELICIT = {"name": "elicit", "arguments": {"a": 1, "b": [2]}}
DONE = json.dumps([ANSWERS["elicitation/create"]])


def again(r, **more):
    """The params that answer a result which asks for input."""
    result = r["result"]
    return {"inputResponses": {n: ANSWERS[q["method"]] for n, q in result["inputRequests"].items()}, "requestState": result["requestState"], **more}


# ---- what a state is not good for: each row makes a request of a result that asks for input ----


def flipped(state, at):
    raw = bytearray(base64.urlsafe_b64decode(state + "=" * (-len(state) % 4)))
    raw[at % len(raw)] ^= 1
    return base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("=")


def tampered(at):
    return lambda site, p: site.ann.request("tools/call", dict(ELICIT, **dict(p, requestState=flipped(p["requestState"], at))))


def with_state(make):
    return lambda site, p: site.ann.request("tools/call", dict(ELICIT, **dict(p, requestState=make(p["requestState"]))))


WRONG = [
    *[(f"M20 a byte changed, {at}", tampered(at)) for at in (0, 1, 4, 8, 16, 24, 40, 55)],
    ("M20 cut short", with_state(lambda s: s[:-4])),
    ("M20 with more behind it", with_state(lambda s: s + "AAAA")),
    ("M20 none of ours", with_state(lambda s: "eyJzdGVwIjoxfQ")),
    ("M20 no base64url", with_state(lambda s: "\u00e4\u20ac!?")),
    ("M20 empty", with_state(lambda s: "")),
    ("M20 no text", with_state(lambda s: {"state": s})),
    ("A48, M22 of another principal", lambda site, p: site.ben.request("tools/call", dict(ELICIT, **p))),
    ("M23 with another method", lambda site, p: site.ann.request("prompts/get", {"name": "asks", **p})),
    ("M24 with another tool", lambda site, p: site.ann.request("tools/call", dict(ELICIT, name="sample", **p))),
    ("M24 with other arguments", lambda site, p: site.ann.request("tools/call", {"name": "elicit", "arguments": {"a": 1, "b": [3]}, **p})),
    ("M24 without its arguments", lambda site, p: site.ann.request("tools/call", {"name": "elicit", **p})),
    ("M26 huge", with_state(lambda s: s * 700)),
    ("M26 huge, and of no use", with_state(lambda s: "A" * 65537)),
]


def wrong(site, make):
    first = site.ann.request("tools/call", ELICIT)
    p = again(first)
    problems = is_it(code(make(site, p)), -32602)
    # What was refused has changed nothing: the one that it belongs to goes on.
    return problems + is_it(words_of(site.ann.request("tools/call", dict(ELICIT, **p))), DONE)


for backend in ("legacy", "modern"):
    site = Site(backend)
    for name, make in WRONG:
        row(f"{backend} server: {name}", wrong, site, make)
    if backend == "legacy":
        p = again(site.ann.request("tools/call", ELICIT))
        site.ann.request("tools/call", dict(ELICIT, **p))
        case("M21 a state that was used", is_it(code(site.ann.request("tools/call", dict(ELICIT, **p))), -32602))
        p = again(site.ann.request("tools/call", ELICIT))
        same = {"arguments": {"b": [2.0], "a": 1.0}, "name": "elicit"}
        case("the same arguments in another notation", is_it(words_of(site.ann.request("tools/call", dict(same, **p))), DONE))
    case(f"{backend} server: the end", is_it(site.end(), 0))

# ---- how it goes on ----


def missing(site, responses):
    """Input that is not there is asked for again, by a new state; the old one is used up."""
    first = site.ann.request("tools/call", ELICIT)
    names = list(first["result"]["inputRequests"])
    p = again(first)
    r = site.ann.request("tools/call", dict(ELICIT, requestState=p["requestState"], **responses(names[0])))
    problems = is_it(list(r["result"].get("inputRequests", {})), names)
    problems += is_it(code(site.ann.request("tools/call", dict(ELICIT, **p))), -32602)
    return problems + is_it(words_of(site.ann.request("tools/call", dict(ELICIT, **again(r)))), DONE)


def extra(site):
    p = again(site.ann.request("tools/call", ELICIT))
    p["inputResponses"]["nobody-asked"] = {"action": "accept"}
    return is_it(words_of(site.ann.request("tools/call", dict(ELICIT, **p))), DONE)


def at_once(site):
    r = site.ann.request("tools/call", {"name": "at_once", "arguments": {}})
    seen = []
    for _ in range(4):
        if r.get("result", {}).get("resultType") != "input_required":
            break
        seen += [q["method"] for q in r["result"]["inputRequests"].values()]
        r = site.ann.request("tools/call", {"name": "at_once", "arguments": {}, **again(r)})
    want = json.dumps([ANSWERS["elicitation/create"], ANSWERS["sampling/createMessage"]], sort_keys=True)
    return is_it(words_of(r), want) + is_it(sorted(set(seen)), ["elicitation/create", "sampling/createMessage"])


def undeclared(site, can, tool):
    client = site.client("ann", can)
    r = client.request("tools/call", {"name": tool, "arguments": {}})
    said = json.dumps(r)
    return ([] if "refused" in said else [said]) + is_it("inputRequests" in said, False)


def cancelled(site):
    """Who goes away while the call goes on has cancelled it."""
    before = len(site.heard("cancelled"))
    params = {"name": "ask_and_hang", "arguments": {"mark": "parked"}}
    stop = site.ann.begin("tools/call", dict(params, **again(site.ann.request("tools/call", params))))
    problems = [] if until(lambda: [m for m in site.heard("hanging") if m["mark"] == "parked"]) else ["it did not go on"]
    stop()
    return problems + ([] if until(lambda: len(site.heard("cancelled")) > before) else ["the server was not told"])


def progress_after(site):
    params = {"name": "ask_and_step", "arguments": {}}
    r = site.ann.request("tools/call", params, {"progressToken": "one"})
    site.ann.notes.clear()
    r = site.ann.request("tools/call", dict(params, **again(r)), {"progressToken": "two"})
    got = [(n["params"]["progressToken"], n["params"]["progress"]) for n in site.ann.notes if n["method"] == "notifications/progress"]
    return is_it(got, [("two", 1), ("two", 2), ("two", 3)]) + is_it(words_of(r), "stepped")


def stands_still(site):
    """The time that the client takes does not count, that of the tool does; of a chain, too, whose later steps have what is left."""
    one = {"name": "run_tool", "arguments": {"id": "b:elicit", "args": {}}}
    chain = {"name": "run_chain", "arguments": {"steps": [{"toolId": "b:elicit", "args": {}}, {"toolId": "b:echo", "args": {"n": 1}}]}}
    cat = site.client("cat")
    of_one = cat.request("tools/call", one, {"ferrule/deadlineMs": 5000})
    of_chain = cat.request("tools/call", chain, {"ferrule/deadlineMs": 5000})
    time.sleep(6)
    problems = is_it(DONE in json.dumps(cat.request("tools/call", dict(one, **again(of_one)))).replace("\\", ""), True)
    done = cat.request("tools/call", dict(chain, **again(of_chain)))["result"]
    return problems + is_it([s["status"] for s in done.get("structuredContent", done).get("steps", [])], ["Ok", "Ok"])


def chain_without_time(site):
    """A chain that has no time left after its first step does not begin the second."""
    chain = {"name": "run_chain", "arguments": {"steps": [{"toolId": "b:nap", "args": {}}, {"toolId": "b:echo", "args": {"n": 1}}]}}
    r = site.client("cat").request("tools/call", chain, {"ferrule/deadlineMs": 300})["result"]
    return is_it((r["isError"], "DeadlineExceeded" in json.dumps(r) or "OutcomeUnknown" in json.dumps(r)), (True, True))


def time_goes_on(site):
    params = {"name": "ask_and_hang", "arguments": {"mark": "late"}}
    r = site.ann.request("tools/call", params, {"ferrule/deadlineMs": 5000})
    r = site.ann.request("tools/call", dict(params, **again(r)))
    return [] if "DeadlineExceeded" in json.dumps(r) or "OutcomeUnknown" in json.dumps(r) else [json.dumps(r)]


def time_stood_still(site):
    """The client takes three times the deadline to answer; from then on what was left of it counts."""
    params = {"name": "ask_and_hang", "arguments": {"mark": "slow"}}
    r = site.ann.request("tools/call", params, {"ferrule/deadlineMs": 1000})
    time.sleep(3)
    began = time.monotonic()
    r = site.ann.request("tools/call", dict(params, **again(r)))
    problems = [] if "DeadlineExceeded" in json.dumps(r) or "OutcomeUnknown" in json.dumps(r) else [json.dumps(r)]
    return problems + ([] if time.monotonic() - began < 2.5 else ["it ended late"])


def server_dies(site):
    params = {"name": "elicit_and_die", "arguments": {}}
    p = again(site.ann.request("tools/call", params))
    time.sleep(0.6)
    r = site.ann.request("tools/call", dict(params, **p))
    problems = [] if r.get("result", {}).get("isError") else [json.dumps(r)]
    return problems + is_it(words_of(site.ann.call("elicit")), DONE)


def two_clients(site):
    """With calls of two clients on one pipe a question is nobody's: it is shown to neither."""
    stop = site.ben.begin("tools/call", {"name": "hang", "arguments": {"mark": "ben"}})
    problems = [] if until(lambda: [m for m in site.heard("hanging") if m["mark"] == "ben"]) else ["not there"]
    r = site.ann.request("tools/call", ELICIT)
    stop()
    return problems + is_it("inputRequests" in json.dumps(r), False)


site = Site(modes={"cat": "meta"})
row("no answers at all", missing, site, lambda name: {})
row("answers to nothing", missing, site, lambda name: {"inputResponses": {"x": {}}})
row("an answer that is no object", missing, site, lambda name: {"inputResponses": {name: 5}})
row("answers that are no object", missing, site, lambda name: {"inputResponses": [1]})
row("answers that nobody asked for", extra, site)
row("two questions at once", at_once, site)
for can, tool in (({}, "elicit"), ({"sampling": {}}, "elicit"), ({"elicitation": {}}, "sample"), ({"elicitation": {}}, "visit"), ({"elicitation": {}}, "roots")):
    row(f"never asked: {tool} with {json.dumps(can)}", undeclared, site, can, tool)
row("cancel behind a question", cancelled, site)
row("progress behind a question", progress_after, site)
row("the deadline stands still for the client", stands_still, site)
row("the deadline of a chain counts for its tools", chain_without_time, site)
row("the deadline counts for the tool", time_goes_on, site)
row("and not more for it than there was", time_stood_still, site)
row("two clients on one pipe", two_clients, site)
row("the server dies", server_dies, site)
case("the end", is_it(site.end(), 0))

# ---- limits ----


def expires(site):
    p = again(site.ann.request("tools/call", {"name": "ask_and_hang", "arguments": {"mark": "e"}}))
    problems = [] if until(lambda: site.heard("withdrawn")) else ["the server was not told"]
    r = site.ann.request("tools/call", {"name": "ask_and_hang", "arguments": {"mark": "e"}, **p})
    return problems + is_it(code(r), -32602)


site = Site(limits={"parkedMs": 300})
row("M25 a state that has expired", expires, site)
case("the end of that", is_it(site.end(), 0))


def full(site):
    states = [again(site.ann.request("tools/call", ELICIT)) for _ in range(2)]
    problems = [] if "refused" in json.dumps(site.ann.request("tools/call", ELICIT)) else ["a third was parked"]
    for p in states:
        problems += is_it(words_of(site.ann.request("tools/call", dict(ELICIT, **p))), DONE)
    return problems + is_it(words_of(site.ann.call("elicit", {})), DONE)


site = Site(limits={"parked": 2})
row("serve.parked: as many as there may be, and one more", full, site)
row("one of them is left when it ends", lambda s: is_it(s.ann.request("tools/call", ELICIT)["result"]["resultType"], "input_required"), site)
case("drained at once", is_it(site.end(), 0))


def each(site):
    first = [site.ann.request("tools/call", ELICIT) for _ in range(9)]
    asked = [r.get("result", {}).get("resultType") == "input_required" for r in first]
    return is_it(asked, [True] * 8 + [False])


def here(site):
    first = [site.ben.request("tools/call", ELICIT) for _ in range(8)]
    third = site.client("cat").request("tools/call", ELICIT)
    asked = [r.get("result", {}).get("resultType") == "input_required" for r in [*first, third]]
    return is_it(asked, [True] * 8 + [False]) + is_it(words_of(site.client("cat").call("echo", {})), "{}")


site = Site("legacy", "http")
row("serve.parked_each: as many of one client as there may be, and one more", each, site)
row("serve.parked_here: as many of one server, and one more, which serves others all the same", here, site)
case("drained with all of them", is_it(site.end(), 0))

# ---- sessions ----


def forgotten(site):
    """A session that the server has forgotten is opened again, once, and the call made again."""
    site.ann.call("echo", {})
    before = len(site.heard("initialize"))  # the stream of the session may find out before the call does
    site.ann.call("forget")
    problems = is_it(words_of(site.ann.call("echo", {"x": 1})), '{"x": 1}')
    return problems + is_it(len(site.heard("initialize")) - before, 1)


site = Site("legacy", "http")
row("404: initialized again", forgotten, site)
row("and again", forgotten, site)
case("the end of sessions", is_it(site.end(), 0))
finish()
