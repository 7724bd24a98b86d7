# SPDX-License-Identifier: Apache-2.0
"""An MCP server whose one tool breaks the rules of the record: its name has a blank."""

import json
import sys

for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    answers = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "bad", "version": "1"}},
               "tools/list": {"tools": [{"name": "a tool of a bad name!", "inputSchema": {"type": "nonsense"}}]}}
    body = {"result": answers[m["method"]]} if m["method"] in answers else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **body}), flush=True)
