"""Every command of mem0's command line, against MEMORY_URL with MEMORY_KEY."""

import json
import os
import subprocess
import sys

from loopback import until

URL, KEY = os.environ["MEMORY_URL"], os.environ["MEMORY_KEY"]
# The command connects to this machine alone, as this script does.
START = "import loopback, sys; from mem0_cli.app import main; sys.exit(main())"


def mem0(*arguments, fails=False):
    """What a command prints: its JSON, or its text where it fails."""
    command = [sys.executable, "-c", START, "--json", *arguments, "--base-url", URL, "--api-key", KEY]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    told = done.stdout + done.stderr
    assert (done.returncode != 0) == fails, (arguments, done.returncode, told)
    return told if fails else json.loads(done.stdout)["data"]


assert mem0("status")["connected"]
(added,) = mem0("add", "The search index is rebuilt on Sundays", "-u", "ada", "--no-infer", "-m", '{"type": "x"}')
one = added["id"]
assert added["event"] == "ADD"
mem0("add", "--messages", '[{"role": "user", "content": "I live in Oslo"}]', "-u", "cleo")
(hit,) = mem0("search", "when is the search index rebuilt?", "-u", "ada")
assert hit["id"] == one and hit["score"] >= 0.3, hit
(listed,) = mem0("list", "-u", "ada", "--page", "1", "--page-size", "5")
assert listed["id"] == one
assert mem0("get", one)["memory"] == "The search index is rebuilt on Sundays"
mem0("update", one, "The search index is rebuilt on Mondays")
assert mem0("get", one)["memory"] == "The search index is rebuilt on Mondays"
assert "ada" in str(mem0("entity", "list", "users"))
events = until(lambda: mem0("event", "list"), lambda all: all[0]["status"] == "SUCCEEDED")
assert mem0("event", "status", events[0]["id"])["status"] == "SUCCEEDED"
assert "Oslo" in str(mem0("list", "-u", "cleo"))
assert "UUID" in mem0("get", "no-uuid", fails=True)
assert mem0("delete", one)
mem0("get", one, fails=True)
mem0("delete", "--all", "-u", "nobody", "--force")
assert mem0("list", "-u", "cleo")
mem0("entity", "delete", "-u", "cleo", "--force")
assert mem0("list", "-u", "cleo") == []
mem0("add", "Kept for a moment", "-u", "dan", "--no-infer")
mem0("delete", "--all", "--project", "--force")
assert mem0("entity", "list", "users") == []
print("done")
