// Everything that the official TypeScript client asks, against MEMORY_URL with MEMORY_KEY.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...given) {
  const options = Array.isArray(given[0]) ? given[0][0] : given[0];
  assert.ok(["127.0.0.1", "::1", "localhost"].includes(options.host), `connected to ${options.host}`);
  return connect.apply(this, given);
};

// The client lies in a folder of its own.
const { MemoryClient } = createRequire(path.join(process.env.CLIENT_FOLDER, "x.js"))("mem0ai");
const { MEMORY_URL: host, MEMORY_KEY: apiKey } = process.env;
const client = new MemoryClient({ apiKey, host });
await client.ping();

const until = async (call, wanted) => {
  for (const end = Date.now() + 60_000; ; ) {
    const answer = await call();
    if (wanted(answer)) return answer;
    assert.ok(Date.now() < end, JSON.stringify(answer));
    await new Promise((after) => setTimeout(after, 50));
  }
};

const said = [
  { role: "user", content: "The importer skips empty rows" },
  { role: "assistant", content: "The exporter writes UTF-8 with a BOM" },
];
const added = await client.add(said, {
  userId: "ada", runId: "r-1", infer: false, metadata: { keptAs: "it_is", type: "decision" },
});
assert.equal(added.status, "SUCCEEDED");
assert.ok(added.eventId);
const ids = added.results.map((one) => one.id);
assert.equal(ids.length, 2);
const queued = await client.add("My horse is called Blitz and I live in Bern", { userId: "cleo" });
assert.equal(queued.status, "PENDING");
await until(() => client.getAll({ filters: { userId: "cleo" } }), (all) => all.results.length > 0);

const found = await client.search("what does the importer skip?", { filters: { userId: "ada" }, topK: 3 });
assert.equal(found.results[0].id, ids[0]);
assert.deepEqual(found.results[0].metadata, { keptAs: "it_is", type: "decision" });
assert.equal(found.results[0].userId, "ada");
assert.ok(found.results[0].score > 0 && found.results[0].score <= 1);
assert.ok(!Number.isNaN(Date.parse(found.results[0].createdAt)));
assert.deepEqual(await client.search("x", { filters: { user_id: "nobody" } }), { results: [] });
const either = { OR: [{ user_id: "bo" }, { AND: [{ userId: "ada" }, { metadata: { type: "decision" } }] }] };
assert.equal((await client.search("importer", { filters: either })).results[0].id, ids[0]);

const page = await client.getAll({ filters: { userId: "ada" }, page: 1, pageSize: 1 });
assert.deepEqual([page.count, page.results.length, page.previous], [2, 1, null]);
assert.match(page.next, /page=2/);
const all = await client.getAll({ filters: { user_id: "ada" } });
assert.deepEqual(all.results.map((one) => one.id).sort(), [...ids].sort());

const one = await client.get(ids[0]);
assert.equal(one.memory, said[0].content);
assert.ok(!Number.isNaN(Date.parse(one.updatedAt)));
await client.update(ids[0], { text: "The importer skips blank rows" });
assert.equal((await client.get(ids[0])).memory, "The importer skips blank rows");
const history = await client.history(ids[0]);
assert.deepEqual(history.map((entry) => entry.event).slice(0, 2), ["ADD", "UPDATE"]);
for (const entry of history) assert.ok(entry.id && entry.memoryId === ids[0]);

const unknown = "0198a000-0000-7000-8000-000000000000";
await assert.rejects(client.get(unknown), (error) => error.constructor.name === "MemoryNotFoundError");
await assert.rejects(client.get("no-uuid"), (error) => error.constructor.name === "ValidationError");
await assert.rejects(client.delete(unknown));

await client.batchUpdate(ids.map((memoryId) => ({ memoryId, text: `Text of ${memoryId}` })));
assert.equal((await client.get(ids[1])).memory, `Text of ${ids[1]}`);
const noted = await client.feedback({ memoryId: ids[0], feedback: "POSITIVE", feedbackReason: "right" });
assert.equal(noted.feedback, "POSITIVE");
await client.batchDelete([ids[1]]);
await assert.rejects(client.get(ids[1]));

const users = await client.users();
const ada = users.results.find((entity) => entity.name === "ada");
assert.equal(ada.type, "user");
assert.ok(ada.id);
assert.equal(typeof (await client.delete(ids[0])).message, "string");
await assert.rejects(client.deleteAll({}), (error) => /nothing is deleted/.test(error.message));
assert.equal(typeof (await client.deleteAll({ userId: "nobody" })).message, "string");
await client.add("Kept for a while", { userId: "eve", infer: false });
await client.deleteUsers({ userId: "eve" });
assert.equal((await client.getAll({ filters: { userId: "eve" } })).count, 0);
await client.deleteAll({ userId: "cleo" });
await client.deleteUsers().catch((error) => assert.match(error.message, /No entities/));
assert.deepEqual((await client.users()).results, []);

const stranger = new MemoryClient({ apiKey: "wrong", host });
await assert.rejects(stranger.get(unknown), (error) => /token/.test(error.message));
console.log("done");
