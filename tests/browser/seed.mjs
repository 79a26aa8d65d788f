// Something to look at: sessions of two projects over some days, as hooks would have told them.
import { randomUUID } from "node:crypto";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Speaks to a daemon as a program with its token. */
export class Daemon {
  constructor(port, token) {
    Object.assign(this, { port, token, base: `http://127.0.0.1:${port}` });
  }

  async call(method, path, body) {
    const answer = await fetch(this.base + path, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  post(path, body) {
    return this.call("POST", path, body);
  }

  get(path) {
    return this.call("GET", path);
  }

  /** Waits until nothing waits to be distilled. */
  async settle() {
    for (;;) {
      const { waiting, spooled } = await this.get("/api/stats");
      if (waiting === 0 && spooled === 0) return;
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  remember(text, project, more = {}) {
    return this.post("/api/memories", { text, project, ...more });
  }
}

export function project(name, root = `/home/dev/${name}`) {
  return { keys: [`dir:${root}`], name, root };
}

/** A session that is told event by event. */
export class Session {
  constructor(daemon, where, id, begins, more = {}) {
    Object.assign(this, { daemon, where, id, at: begins, more });
  }

  async #send(body, minutes = 1) {
    this.at += minutes * MINUTE;
    const { branch, worktree, agent = "claude-code" } = this.more;
    // Only a start is answered: what it is given is counted.
    const reply = body.kind === "session-start";
    await this.daemon.post(`/api/events?reply=${reply}`, {
      uid: randomUUID(),
      at: new Date(this.at).toISOString(),
      agent,
      agent_session_id: this.id,
      project: { ...this.where, branch, worktree },
      cwd: this.where.root,
      body,
    });
    return this;
  }

  start(source = "startup") {
    return this.#send({ kind: "session-start", source });
  }

  prompt(text) {
    return this.#send({ kind: "prompt", text }, 2);
  }

  tool(name, kind, { input = {}, output = {}, error, paths = [], command } = {}) {
    return this.#send({ kind: "tool-use", tool: { name, class: kind, call_id: randomUUID(), input, output, error, paths, command } });
  }

  read(path, content = "…") {
    return this.tool("Read", "read", { input: { file_path: path }, output: { content }, paths: [path] });
  }

  edit(path, before, after) {
    return this.tool("Edit", "edit", { input: { file_path: path, old_string: before, new_string: after }, output: { ok: true }, paths: [path] });
  }

  bash(command, stdout, failed = false) {
    return this.tool("Bash", "shell", { input: { command }, command, output: { stdout }, error: failed ? stdout : undefined });
  }

  stop(answer) {
    return this.#send({ kind: "stop", answer });
  }

  end(reason = "prompt_input_exit") {
    return this.#send({ kind: "session-end", reason });
  }
}

/** Two projects, five sessions, two of them one conversation; memories of both languages. */
export async function demo(daemon, now = Date.now()) {
  const shop = project("shop");
  const notes = project("field-notes");
  const open = (where, id, ago, more) => new Session(daemon, where, id, now - ago, more);

  let s = open(shop, "5f0c-cart", 6 * DAY, { branch: "main" });
  await s.start();
  await s.prompt("The cart total is off by a cent for some orders, please find out why and fix it");
  await s.read("src/cart.rs", "pub fn total(items: &[Item]) -> f64 { items.iter().map(|i| i.price).sum() }");
  await s.bash("cargo test cart", "assertion `left == right` failed\n  left: 30.299999999999997\n right: 30.3\ntest cart::totals ... FAILED", true);
  await s.edit("src/cart.rs", "-> f64", "-> Cents");
  await s.edit("src/money.rs", "", "pub struct Cents(pub i64);");
  await s.bash("cargo test cart", "running 8 tests\ntest result: ok. 8 passed; 0 failed");
  await s.stop("Fixed. The root cause was adding prices as f64: rounding errors summed up to a cent.\n\nDecision: amounts are kept as whole cents (`Cents`, an i64) everywhere and only formatted as decimals when shown.\n\nNext steps:\n- Migrate the column orders.total from REAL to INTEGER cents");
  await s.end("clear");

  s = open(shop, "9a1d-migrate", 6 * DAY - 13 * MINUTE, { branch: "main" });
  await s.start("clear");
  await s.prompt("Now migrate the orders table to whole cents");
  await s.read("migrations/0007_orders.sql", "CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL)");
  await s.edit("migrations/0008_cents.sql", "", "ALTER TABLE orders ADD COLUMN total_cents INTEGER;");
  await s.bash("cargo test migrations", "test result: ok. 3 passed; 0 failed");
  await s.stop("The migration adds total_cents, copies rounded values and drops the old column in a second step.\n\nNext steps:\n- Drop orders.total after the next release");
  await s.end();

  s = open(shop, "c44e-invoice", 2 * DAY, { branch: "invoices", worktree: "shop-invoices" });
  await s.start();
  await s.prompt("记住：金额一律用整数分存储，不要用浮点数。发票模板也检查一下。");
  await s.read("templates/invoice.html", "<td>{{ total }}</td>");
  await s.edit("templates/invoice.html", "{{ total }}", "{{ total | cents }}");
  await s.bash("cargo test invoice", "test result: ok. 4 passed; 0 failed");
  await s.stop("发票模板已改用 `cents` 过滤器，金额显示正确。\n\n下一步：\n- 补上退款单的模板");
  await s.prompt("Also make the PDF download stream instead of buffering the whole file");
  await s.edit("src/pdf.rs", "Vec<u8>", "impl Stream<Item = Bytes>");
  await s.bash("cargo clippy -- -D warnings", "warning: unused import: `std::io::Read`\nerror: could not compile `shop`", true);
  await s.edit("src/pdf.rs", "use std::io::Read;", "");
  await s.bash("cargo clippy -- -D warnings", "Finished");
  await s.stop("Downloads stream in 64 KiB pieces now; memory stays flat for large invoices.\n\nDecision: responses above 1 MiB are streamed.");
  await s.end();

  s = open(notes, "e720-sync", DAY, { branch: "main" });
  await s.start();
  await s.prompt("Sync fails when two devices edit the same note while offline. Keep both versions.");
  await s.read("lib/sync.ts", "export function merge(a: Note, b: Note): Note {");
  await s.edit("lib/sync.ts", "return newest(a, b)", "return conflictCopy(a, b)");
  await s.bash("npm test -- sync", "✓ keeps both versions (12 ms)\nTests: 21 passed");
  await s.stop("A conflicting edit is kept as a copy named after its device.\n\nDecision: sync never drops text; conflicts become copies.");
  await s.end();

  s = open(shop, "f00d-today", 90 * MINUTE, { branch: "main" });
  await s.start();
  await s.prompt("Why is checkout slow on Mondays?");
  await s.bash("psql -c 'explain analyze select * from carts'", "Seq Scan on carts  (cost=0.00..48211.00 rows=1200000) (actual time=812.4 ms)");
  await s.edit("migrations/0009_carts_index.sql", "", "CREATE INDEX carts_by_user ON carts (user_id);");
  await s.stop("The weekly newsletter opens many carts at once and carts has no index on user_id: every lookup reads the whole table. The index brings the query from 812 ms to 0.4 ms.");

  await daemon.remember("Deploys go out on Tuesdays and Thursdays, never on Fridays", shop, { created_at: new Date(now - 5 * DAY).toISOString() });
  await daemon.remember("Prices are shown with tax in the EU and without tax in the US", shop, { created_at: new Date(now - 3 * DAY).toISOString(), files: ["src/prices.rs"] });
  await daemon.remember("测试数据库在 docker compose 的 db 服务里，端口 5433", shop, { created_at: new Date(now - 30 * MINUTE).toISOString() });
  await daemon.remember("Notes are plain Markdown files; the index can always be rebuilt", notes, { created_at: new Date(now - DAY).toISOString() });
  await daemon.settle();
  return { shop, notes };
}
