import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { platformCall, SystemClock } from "@appserver/kernel";
import { singleInstance } from "@appserver/kernel/ports";
import { AuthorizedPermissions, eventually, rejectsWith } from "@appserver/testing/kit";
import { readLog } from "../src/use-cases/read-log.ts";
import { type LogSearch, searchLogs } from "../src/use-cases/search-logs.ts";
import { LogFollowers } from "../src/workers/log-followers.ts";
import { clock, common, isAscending, name, range, reader, world } from "./logs-world.ts";

describe("logs over the broker", () => {
  test("the last lines are read, and what follows, in order and without gaps", async () => {
    const it = await world();
    it.runtime.print(5_000);
    const call = platformCall("test");
    const { lines, leftOut } = await readLog(it.context, { name, tail: 3 }, call);
    assert.deepEqual([lines.map(({ text }) => Number.parseInt(text, 10)), leftOut], [[4_997, 4_998, 4_999], 0]);
    assert.deepEqual(
      lines.map(({ stream }) => stream),
      ["unknown", "stdout", "stderr"],
    );
    assert.deepEqual(lines[0]?.source, { containerId: "c1", instance: "c1", container: `app-${name}`, generation: 3 });
    const since = it.runtime.lines[4_997]?.time;
    assert.equal((await readLog(it.context, { name, since }, call)).lines.length, 2);
    assert.equal((await readLog(it.context, { name }, call)).lines.length, 100);

    const follower = reader(it.context, 5_000);
    assert.deepEqual(await follower.take(5_000), { numbers: range(0, 5_000), leftOut: 0 });
    it.runtime.print(20_000);
    assert.deepEqual(await follower.take(20_000), { numbers: range(5_000, 25_000), leftOut: 0 });
    follower.stop();
    assert.equal((await follower.entries.next()).done, true);
    await it.stop();
  });

  test("a reader that takes nothing makes the engine wait, then loses lines, which are counted and not kept", async () => {
    const it = await world();
    const follower = reader(it.context, 0);
    const first = follower.next();
    await eventually(async () => it.broker.published.some(({ type }) => type !== "logs.requested"));
    it.runtime.print(1, 1_000);
    assert.equal((await first).lines.length, 1);
    it.runtime.print(20_000, 1_000);
    // 256 KiB, the chunks on their way, and the batch that waits.
    await eventually(async () => it.runtime.taken > 500);
    assert.ok(it.runtime.taken < 3_000, `${it.runtime.taken} lines were read for a reader that takes none`);
    await eventually(async () => it.runtime.taken === 20_001, undefined, { timeoutMs: 20_000 });
    it.runtime.print(10, 1_000);
    const chunks = it.broker.published.filter(({ type }) => type !== "logs.requested").length;
    const rest = follower.take(20_010);
    it.runtime.print(10, 1_000);
    const { numbers, leftOut } = await rest;
    assert.ok(chunks <= 12, `${chunks} chunks were sent to a reader that takes none`);
    assert.ok(leftOut > 10_000, `${leftOut} left out`);
    assert.ok(isAscending(numbers));
    follower.stop();
    await follower.entries.return(undefined);
    await it.stop();
  });

  test("another orchestrator continues after the last line", async () => {
    const it = await world();
    const follower = reader(it.context, 0);
    const first = follower.next();
    await eventually(async () => it.broker.published.some(({ type }) => type !== "logs.requested"));
    it.runtime.print(1_000);
    const received = (await first).lines.length;
    await it.orchestrate();
    it.runtime.print(4_000);
    // It asks again every 10 s.
    const { numbers, leftOut } = await follower.take(5_000 - received);
    assert.deepEqual([numbers, leftOut], [range(received, 5_000), 0]);
    follower.stop();
    await follower.entries.return(undefined);
    await it.stop();
  });

  test("a lost request is repeated, and the lines of a lost chunk are counted", async () => {
    const it = await world();
    it.runtime.print(3_000);
    let losses = 0;
    it.broker.isLost = ({ body }) => {
      const isFirst = body["replica"] !== undefined && losses === 0;
      const isChunk = Array.isArray(body["lines"]) && body["lines"].length > 0 && losses === 1;
      if (isFirst || isChunk) losses += 1;
      return isFirst || isChunk;
    };
    const follower = reader(it.context, 3_000);
    const { numbers, leftOut } = await follower.take(3_000);
    assert.equal(losses, 2);
    assert.equal(numbers.length + leftOut, 3_000);
    assert.ok(leftOut > 0);
    assert.deepEqual(numbers, range(leftOut, 3_000));
    follower.stop();
    await it.stop();
  });

  test("one caller reads 16 logs at a time, of a server and of an orchestrator, and others still get theirs", async (t) => {
    const it = await world();
    it.runtime.print(1);
    const readers = Array.from({ length: 16 }, () => reader(it.context));
    t.after(async () => {
      for (const each of readers) each.stop();
      await it.stop();
    });
    for (const each of readers) await each.next();
    const refused = rejectsWith("RATE_LIMIT_EXCEEDED", /the caller reads 16 logs already/);
    await assert.rejects(readLog(it.context, { name }, platformCall("test")), refused);
    // Through another server.
    const logs = new LogFollowers({ ...common, broker: it.broker });
    await logs.start();
    t.after(() => logs.stop());
    await assert.rejects(readLog({ ...it.context, logs }, { name }, platformCall("test")), refused);
    const other = { ...platformCall("test"), caller: { kind: "user", id: "u2", displayName: "" } } as const;
    const permissions = new AuthorizedPermissions({ check: async () => true });
    assert.equal((await readLog({ ...it.context, permissions }, { name }, other)).lines.length, 1);
    for (const each of readers) {
      each.stop();
      await each.entries.return(undefined);
    }
    await eventually(async () => (await readLog(it.context, { name }, platformCall("test"))).lines.length === 1);
  });

  test("the lines of several instances are merged by their time, and those of one can be read alone", async () => {
    const it = await world();
    const [container] = [...it.runtime.containers.values()];
    assert.ok(container);
    const instances = ["pod-1", "pod-2"].map((id) => ({ id, isReady: true, restarts: 0 }));
    it.runtime.containers.set(container.name, { ...container, wanted: 2, instances });
    it.runtime.logs = async function* (_name, { instance = "" }) {
      const first = instance === "pod-1" ? 0 : 1;
      const times = [first, first + 2].map((second) => `2026-01-01T00:00:0${second}.000000000Z`);
      yield times.map((time) => ({ time, stream: "stdout", text: `${instance} ${time.slice(17, 19)}`, isCut: false }));
    };
    const read = async (input: object) =>
      (await readLog(it.context, { name, ...input }, platformCall("test"))).lines.map(({ text, source }) => [
        text,
        source?.instance,
      ]);
    const all = ["pod-1 00", "pod-2 01", "pod-1 02", "pod-2 03"].map((text) => [text, text.slice(0, 5)]);
    assert.deepEqual([await read({}), await read({ tail: 2 })], [all, all.slice(2)]);
    assert.deepEqual(await read({ instance: "pod-2" }), [all[1], all[3]]);
    assert.deepEqual(await read({ instance: "none" }), []);
    for (const instance of ["", "a b", "a".repeat(129)])
      await assert.rejects(read({ instance }), rejectsWith("INVALID_REQUEST", /instance/));
    await it.stop();
  });

  test("an entry marks the start of the next container", async () => {
    const it = await world();
    it.runtime.print(1);
    const follower = reader(it.context);
    assert.equal((await follower.next()).isStart, false);
    it.runtime.isOver = true;
    it.runtime.print(1);
    assert.equal((await follower.next()).isStart, false);
    it.runtime.isOver = false;
    const [container] = [...it.runtime.containers.values()];
    assert.ok(container);
    it.runtime.containers.set(container.name, {
      ...{ ...container, id: "c2", startedAt: new Date(2_000) },
      ...singleInstance({ id: "c2", status: "running" }),
    });
    const { source, isStart } = await follower.next();
    assert.deepEqual([source?.containerId, isStart], ["c2", true]);
    follower.stop();
    await it.stop();
  });

  test("where nothing is left of what a stopped container printed, its stop is not announced as a start", async () => {
    const it = await world();
    Object.assign(it.runtime, { abilities: { ...it.runtime.abilities, keepsOutputOfStopped: false } });
    const [container] = [...it.runtime.containers.values()];
    assert.ok(container);
    const change = (status: "running" | "exited", ...ids: readonly string[]) => {
      const instances = ids.map((id) => ({ id, isReady: true, restarts: 0 }));
      it.runtime.containers.set(container.name, { ...container, status, wanted: ids.length, instances });
    };
    change("running", "pod-1");
    it.runtime.print(1);
    const follower = reader(it.context);
    const first = await follower.next();
    assert.deepEqual([first.source?.instance, first.isStart], ["pod-1", false]);
    change("exited");
    await clock.sleep(3_000);
    change("running", "pod-2");
    const { source, isStart } = await follower.next();
    assert.deepEqual([source?.instance, isStart], ["pod-2", true]);
    follower.stop();
    await it.stop();
  });

  test("lines are found by the ids that they contain; an app without a container has none", async () => {
    const it = await world();
    it.runtime.print(1_200);
    const context = { ...it.context, clock: new SystemClock() };
    const search = (ids: readonly string[], more: Partial<LogSearch> = {}, call = platformCall("test")) =>
      searchLogs(context, { appNames: [name, "com.example.none"], ids: new Set(ids), since: new Date(0), ...more }, call);
    const numbers = async (...ids: string[]) => (await search(ids)).lines.map(({ text }) => Number.parseInt(text, 10));
    assert.deepEqual(await numbers("1100", "1199"), [1_100, 1_199]);
    assert.deepEqual(await numbers("100"), []);
    const found = await search(["1100"]);
    assert.deepEqual(found.incomplete, [name]);
    assert.equal(found.lines[0]?.appName, name);
    it.app = { state: "DISABLED", isInstalled: true, isEnabled: false, needsContainer: true };
    assert.deepEqual(await search(["1100"]), { lines: [], incomplete: [] });
    const anyone = { ...platformCall("test"), caller: { kind: "user", id: "u1" } as never };
    await assert.rejects(search(["1100"], {}, anyone), rejectsWith("PERMISSION_DENIED", /app:logs/));
    await it.stop();
  });

  test("without an orchestrator, an engine, a permission or a container the reason is returned", async () => {
    const it = await world();
    const call = platformCall("test");
    const anyone = { ...call, caller: { kind: "user", id: "u1" } as never };
    await assert.rejects(readLog(it.context, { name: "com.example.none" }, anyone), rejectsWith("PERMISSION_DENIED"));
    await assert.rejects(readLog(it.context, { name: "com.example.none" }, call), rejectsWith("NOT_FOUND"));
    for (const [change, message] of [
      [{ needsContainer: false }, /its backend runs outside of the platform/],
      [{ isInstalled: false, state: "UNINSTALLED" }, /it is UNINSTALLED/],
      [{ isEnabled: false }, /it is disabled/],
    ] as const) {
      it.app = { state: "RUNNING", isInstalled: true, isEnabled: true, needsContainer: true, ...change };
      await assert.rejects(readLog(it.context, { name }, call), rejectsWith("INVALID_STATE", message));
    }
    it.app = { state: "RUNNING", isInstalled: true, isEnabled: true, needsContainer: true };
    for (const [input, message] of [
      [{ tail: 1_001 }, /must be 0 to 1000, got 1001/],
      [{ tail: 0.5 }, /must be 0 to 1000/],
      [{ since: "yesterday" }, /must be a time of RFC 3339/],
    ] as const) {
      await assert.rejects(readLog(it.context, { name, ...input }, call), rejectsWith("INVALID_REQUEST", message));
    }
    it.runtime.logs = () => {
      throw new Error("Cannot connect to Docker daemon");
    };
    const broken = rejectsWith("SERVICE_UNAVAILABLE", /could not be read: Cannot connect to Docker daemon/);
    await assert.rejects(readLog(it.context, { name }, call), broken);
    await it.stop();
    const alone = await world();
    alone.broker.isLost = () => true;
    const silent = rejectsWith("SERVICE_UNAVAILABLE", /no orchestrator sent the log of com\.example\.notes within 10 s/);
    await assert.rejects(readLog(alone.context, { name }, call), silent);
    await alone.stop();
  });
});
