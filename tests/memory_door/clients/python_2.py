"""Everything that the official Python client (2.x) asks, against MEMORY_URL with MEMORY_KEY."""

import os
import uuid

from loopback import refused, until

from mem0 import MemoryClient
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError

URL, KEY = os.environ["MEMORY_URL"], os.environ["MEMORY_KEY"]
EVENTS = {"ADD", "UPDATE", "DELETE", "NOOP"}

refused(Exception, lambda: MemoryClient(api_key="wrong", host=URL), "token")
client = MemoryClient(api_key=KEY, host=URL)
assert client.org_id and client.project_id

# Kept as it is: at once, one memory a message, nothing of a system's.
who = {"user_id": "ada", "agent_id": "coder", "app_id": "shop", "run_id": "run-1"}
said = [
    {"role": "system", "content": "You are helpful"},
    {"role": "user", "content": "The cart rounds totals down to whole cents"},
    {"role": "assistant", "content": "The retry queue keeps its offset in Redis"},
]
added = client.add(said, infer=False, metadata={"type": "decision", "n": 3}, **who)
assert added["status"] == "SUCCEEDED" and uuid.UUID(added["event_id"])
ids = [one["id"] for one in added["results"]]
assert len(ids) == 2 and all(one["event"] == "ADD" for one in added["results"])
assert added["results"][0]["data"]["memory"] == said[1]["content"]
again = client.add(said, infer=False, **who)
assert again["results"] == [], "the same text of the same owner is there once"
client.add("Bo prefers tabs", infer=False, user_id="bo", expiration_date="2001-01-01")

# Drawn from messages: in the background.
queued = client.add("My dog is called Rex and I live in Rome", user_id="cleo")
assert queued["status"] == "PENDING" and queued["event_id"]
cleo = {"user_id": "cleo"}
listed = until(lambda: client.get_all(filters=cleo), lambda answer: answer["results"])
assert "Rex" in str(listed["results"])

# Found again.
found = client.search("how are totals rounded in the cart?", filters={"user_id": "ada"}, top_k=5)
first = found["results"][0]
assert first["id"] == ids[0] and 0.0 < first["score"] <= 1.0
assert first["memory"] == said[1]["content"] and first["metadata"] == {"type": "decision", "n": 3}
assert (first["user_id"], first["agent_id"], first["app_id"]) == ("ada", "coder", "shop")
assert first["run_id"] == first["session_id"] == "run-1"
for filters, wanted in [
    ({"AND": [{"user_id": "ada"}, {"metadata": {"type": "decision"}}]}, True),
    ({"AND": [{"user_id": "ada"}, {"metadata": {"type": "other"}}]}, False),
    ({"OR": [{"user_id": "bo"}, {"agent_id": "coder"}]}, True),
    ({"AND": [{"user_id": "*"}], "NOT": [{"run_id": "run-1"}]}, False),
    ({"user_id": {"in": ["ada", "bo"]}, "created_at": {"gte": "2020-01-01"}}, True),
    ({"user_id": "ada", "created_at": {"lt": "2020-01-01"}}, False),
    ({"user_id": "ada", "keywords": {"icontains": "CENTS"}}, True),
    ({"user_id": "ada", "memory_ids": [ids[0]]}, True),
]:
    hits = [one["id"] for one in client.search("cart totals", filters=filters)["results"]]
    assert (ids[0] in hits) == wanted, (filters, hits)
assert client.search("anything", filters={"user_id": "nobody"}) == {"results": []}
only = client.search("cart totals", filters={"user_id": "ada"}, fields=["memory"])["results"][0]
assert set(only) == {"id", "memory"}
refused(ValidationError, lambda: client.search("cart", filters={"metadata": {"a": 1}}), "user_id")
refused(ValidationError, lambda: client.search("cart", filters={"user_id": {"like": "a"}}), "like")
refused(ValidationError, lambda: client.search("cart", filters={"user_id": "ada"}, threshold=7))

# Listed, in pages.
page = client.get_all(filters={"user_id": "ada"}, page=1, page_size=1)
assert page["count"] == 2 and len(page["results"]) == 1
assert "page=2" in page["next"] and page["previous"] is None
last = client.get_all(filters={"user_id": "ada"}, page=2, page_size=1)
assert last["next"] is None and "page=1" in last["previous"]
assert {page["results"][0]["id"], last["results"][0]["id"]} == set(ids)
assert client.get_all(filters={"user_id": "bo"})["results"] == [], "expired"
assert len(client.get_all(filters={"user_id": "bo"}, show_expired=True)["results"]) == 1

# One.
one = client.get(ids[0])
assert one["id"] == one["memory_id"] == ids[0] and one["session_id"] == "run-1"
changed = client.update(ids[0], text="The cart rounds totals to the nearest cent")
assert changed["memory"] == "The cart rounds totals to the nearest cent"
assert changed["created_at"] == one["created_at"] and changed["updated_at"] >= one["updated_at"]
client.update(ids[0], metadata={"type": "fact"}, expiration_date="2999-12-31")
assert client.get(ids[0])["expiration_date"] == "2999-12-31"
client.update(ids[0], expiration_date=None)
assert client.get(ids[0])["expiration_date"] is None
history = client.history(ids[0])
assert [entry["event"] for entry in history][:3] == ["ADD", "NOOP", "UPDATE"], history
assert all(entry["memory_id"] == ids[0] and entry["event"] in EVENTS for entry in history)
assert history[2]["old_memory"] == said[1]["content"]
unknown = str(uuid.uuid4())
for call in [client.get, client.history, client.delete, lambda i: client.update(i, text="x")]:
    refused(MemoryNotFoundError, lambda: call(unknown))
    refused(ValidationError, lambda: call("no-uuid"), "UUID")
    refused(ValidationError, lambda: call("a/b c"))

# Several.
told = client.batch_update([{"memory_id": i, "text": f"Text of {i}"} for i in ids])
assert "2" in told["message"]
assert client.get(ids[1])["memory"] == f"Text of {ids[1]}"
refused(
    MemoryNotFoundError,
    lambda: client.batch_update([{"memory_id": ids[0], "text": "y"}, {"memory_id": unknown, "text": "z"}]),
)
assert client.get(ids[0])["memory"] == f"Text of {ids[0]}", "all or none"
noted = client.feedback(ids[0], feedback="POSITIVE", feedback_reason="it helped")
assert noted["id"] and noted["feedback"] == "POSITIVE"
assert "1" in client.batch_delete([{"memory_id": ids[1]}])["message"]
refused(MemoryNotFoundError, lambda: client.get(ids[1]))
assert client.history(ids[1])[-1]["event"] == "DELETE"

# Owners.
users = client.users()
names = {(entity["type"], entity["name"]) for entity in users["results"]}
assert {("user", "ada"), ("agent", "coder"), ("app", "shop"), ("run", "run-1")} <= names
assert users["total_users"] == 3 and users["count"] == len(users["results"])
client.add("Slashes are part of names", infer=False, user_id="team/one")
client.delete_users(user_id="team/one")
assert client.get_all(filters={"user_id": "team/one"})["count"] == 0

# Deleting: nothing where it is not clear what.
assert isinstance(client.delete(ids[0])["message"], str)
refused(MemoryNotFoundError, lambda: client.get(ids[0]))
before = client.get_all(filters={"user_id": "*"}, show_expired=True)["count"]
refused(ValidationError, lambda: client.delete_all(), "nothing is deleted")
refused(ValidationError, lambda: client.delete_all(filters={"user_id": "bo"}), "nothing is deleted")
assert client.get_all(filters={"user_id": "*"}, show_expired=True)["count"] == before > 0
assert isinstance(client.delete_all(user_id="nobody")["message"], str)
client.delete_all(user_id="bo")
assert client.get_all(filters={"user_id": "bo"}, show_expired=True)["count"] == 0
client.reset()
assert client.get_all(filters={"user_id": "*"}, show_expired=True)["count"] == 0
refused(ValueError, client.reset, "No entities")

# A host with a wrong token is told so.
stranger = MemoryClient(api_key=KEY, host=URL)
stranger.client.headers["Authorization"] = "Token wrong"
refused(AuthenticationError, lambda: stranger.get(unknown), "token")
print("done")
