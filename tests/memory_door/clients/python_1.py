"""Everything that the official Python client 1.x asks, against MEMORY_URL with MEMORY_KEY."""

import os
import uuid

from loopback import refused, until

from mem0 import MemoryClient
from mem0.exceptions import MemoryNotFoundError, ValidationError

client = MemoryClient(api_key=os.environ["MEMORY_KEY"], host=os.environ["MEMORY_URL"])

added = client.add(
    [{"role": "user", "content": "Deploys happen on Tuesdays"}],
    user_id="ada", run_id="r", infer=False, metadata={"type": "decision"},
)
(one,) = added["results"]
assert one["event"] == "ADD" and uuid.UUID(one["id"]) and one["memory"] == "Deploys happen on Tuesdays"
waits = client.add("My cat is called Tom", user_id="cleo")
(item,) = waits["results"]
assert item["status"] == "PENDING" and item["event_id"], waits
until(lambda: client.get_all(filters={"user_id": "cleo"}), lambda a: "Tom" in str(a))
now = client.add("My parrot is called Coco", user_id="dan", async_mode=False)
assert "Coco" in str(now["results"]), now

for call in [
    lambda: client.search("when are deploys?", user_id="ada"),
    lambda: client.search("when are deploys?", filters={"user_id": "ada"}, top_k=3),
    lambda: client.get_all(user_id="ada"),
    lambda: client.get_all(filters={"AND": [{"user_id": "ada"}, {"run_id": "r"}]}),
    lambda: client.get_all(filters={"user_id": "ada"}, page=1, page_size=10),
]:
    (hit,) = call()["results"]
    assert hit["id"] == one["id"] and hit["metadata"] == {"type": "decision"}, hit
assert client.search("deploys", filters={"user_id": "nobody"})["results"] == []

assert client.get(one["id"])["memory"] == "Deploys happen on Tuesdays"
client.update(one["id"], text="Deploys happen on Wednesdays")
client.update(one["id"], metadata={"type": "fact"})
assert [entry["event"] for entry in client.history(one["id"])][:2] == ["ADD", "UPDATE"]
client.batch_update([{"memory_id": one["id"], "text": "Deploys happen daily"}])
assert client.get(one["id"])["memory"] == "Deploys happen daily"
try:
    client.feedback(one["id"], feedback="NEGATIVE")
except TypeError as error:
    # It falls over its own telemetry after the answer has come.
    assert "capture_client_event" in str(error)
assert {"ada", "cleo", "dan", "r"} <= {entity["name"] for entity in client.users()["results"]}
refused(MemoryNotFoundError, lambda: client.get(str(uuid.uuid4())))
refused(ValidationError, lambda: client.get("7"), "UUID")
refused(ValidationError, lambda: client.delete_all(), "nothing is deleted")
client.batch_delete([{"memory_id": one["id"]}])
refused(MemoryNotFoundError, lambda: client.get(one["id"]))
client.delete_users(user_id="dan")
client.delete_all(user_id="cleo")
assert client.users()["results"] == []
print("done")
