import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { maxFieldLength, platformMigrations, silentLogger } from "@appserver/kernel";
import type { HandledRequest, StoredRequest } from "@appserver/kernel/ports";
import { createTestDatabase, FakeClock, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { recordsMigrations } from "../migrations/index.ts";
import { SqlRequestHistory } from "../src/adapters/sql-request-history.ts";
import { RequestRecorder } from "../src/workers/request-recorder.ts";

const traceOf = (number: number): string => number.toString(16).padStart(32, "0");

function request(number: number, more: Partial<HandledRequest> = {}): HandledRequest {
  return {
    requestId: `r${number}`,
    traceId: traceOf(number),
    method: "GET",
    pattern: "/notes",
    status: 200,
    app: "com.example.notes",
    caller: "user:alice",
    durationMs: 5,
    upstreamMs: 4.5,
    reasonId: undefined,
    ...more,
  };
}

describe("the recorder of requests", () => {
  const scene = (append: (requests: readonly StoredRequest[]) => Promise<void>) => {
    const clock = new FakeClock();
    const counts = { dropped: 0 };
    const dropped = {
      add: (amount = 1): void => {
        counts.dropped += amount;
      },
    };
    const recorder = new RequestRecorder({ history: { append }, clock, logger: silentLogger, dropped });
    recorder.start();
    return { clock, counts, recorder };
  };

  test("stores what ended within a second in one batch, with the time of its beginning, and nothing while there is nothing", async () => {
    const batches: (readonly StoredRequest[])[] = [];
    const take = async (requests: readonly StoredRequest[]): Promise<void> => void batches.push(requests);
    const { clock, recorder } = scene(take);
    await clock.advance(5_000);
    assert.equal(batches.length, 0);
    const endedAt = clock.now();
    recorder.add(request(1));
    recorder.add(request(2, { durationMs: 2_000 }));
    await clock.advance(1_000);
    assert.deepEqual(
      batches.map((batch) => batch.map(({ requestId, at }) => [requestId, endedAt - at.getTime()])),
      [
        [
          ["r1", 5],
          ["r2", 2_000],
        ],
      ],
    );
    recorder.add(request(3));
    await recorder.stop();
    assert.deepEqual(
      batches[1]?.map(({ requestId }) => requestId),
      ["r3"],
    );
  });

  test("of a busy second the failed requests are kept, then the slowest, and the others are counted", async () => {
    const stored: StoredRequest[] = [];
    const { clock, counts, recorder } = scene(async (requests) => void stored.push(...requests));
    for (let number = 0; number < 10_000; number++)
      recorder.add(request(number, { durationMs: number % 1_000, status: number % 100 === 0 ? 502 : 200 }));
    await clock.advance(1_000);
    await recorder.stop();
    assert.deepEqual([stored.length, counts.dropped], [200, 9_800]);
    assert.equal(stored.filter(({ status }) => status === 502).length, 100);
    assert.ok(stored.every(({ status, durationMs }) => status === 502 || durationMs >= 980));
  });

  test("a caller with many failed requests does not displace those of others", async () => {
    const stored: StoredRequest[] = [];
    const { clock, recorder } = scene(async (requests) => void stored.push(...requests));
    for (let number = 0; number < 5_000; number++) {
      recorder.add(request(number, { status: 502, caller: "anonymous" }));
      if (number % 100 === 0) recorder.add(request(10_000 + number, { caller: "user:alice" }));
    }
    await clock.advance(1_000);
    await recorder.stop();
    assert.equal(stored.length, 200);
    assert.equal(stored.filter(({ caller }) => caller === "user:alice").length, 50);
  });

  test("texts of a stored request are cut, whatever a caller sent", async () => {
    const stored: StoredRequest[] = [];
    const { recorder } = scene(async (requests) => void stored.push(...requests));
    const long = "x".repeat(50_000);
    recorder.add(request(1, { method: long, pattern: long, caller: long, app: long }));
    await recorder.stop();
    const [{ method, pattern, caller, app } = request(0)] = stored;
    assert.deepEqual(
      [method, pattern, caller, app].map((text) => text?.length),
      [maxFieldLength, maxFieldLength, maxFieldLength, maxFieldLength],
    );
  });

  test("a database that does not respond costs the requests of that time, and nothing else", async () => {
    const stored: StoredRequest[] = [];
    let isDown = true;
    const { clock, recorder } = scene(async (requests) => {
      if (isDown) throw new Error("down");
      stored.push(...requests);
    });
    recorder.add(request(1));
    await clock.advance(1_000);
    isDown = false;
    recorder.add(request(2));
    await clock.advance(1_000);
    await recorder.stop();
    assert.deepEqual(
      stored.map(({ requestId }) => requestId),
      ["r2"],
    );
  });
});

describe("the history of requests", () => {
  let clock: FakeClock;
  let server: TestPostgres;
  let fixture: TestDatabase;
  let history: SqlRequestHistory;
  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate([...platformMigrations, ...recordsMigrations]);
  });
  beforeEach(async () => {
    await fixture.database.query("truncate platform.requests");
    clock = new FakeClock();
    history = new SqlRequestHistory(fixture.database, clock);
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });
  const at = (ms: number): Date => new Date(clock.now() + ms);

  test("finds traces by request id and requests by trace id, with every field", async () => {
    const whole = { ...request(1), client: "said: editor", at: at(-20) };
    const bare = {
      app: undefined,
      pattern: undefined,
      upstreamMs: undefined,
      reasonId: "session_missing",
      caller: "anonymous",
    };
    const refused = { ...request(2, { traceId: traceOf(1), status: 401, ...bare }), at: at(-10) };
    await history.append([refused, whole, { ...request(3), at: at(0) }]);
    assert.deepEqual(await history.tracesOf("r2"), [traceOf(1)]);
    assert.deepEqual(await history.ofTraces([traceOf(1)], 10), [whole, refused]);
    assert.deepEqual(await history.ofTraces([traceOf(1)], 1), [whole]);
    assert.deepEqual(await history.tracesOf("unknown"), []);
  });

  test("an id that a client gives to every request leads to its first and its newest traces", async () => {
    const same = Array.from({ length: 300 }, (_, number) => ({ ...request(number, { requestId: "same" }), at: at(number) }));
    await history.append(same);
    const newest = [299, 298, 297, 296, 295];
    assert.deepEqual(await history.tracesOf("same"), [...newest, 4, 3, 2, 1, 0].map(traceOf));
  });

  test("requests with the id of another caller's request do not hide its trace, whether before or after it", async () => {
    const forged = (number: number) => ({ ...request(number, { requestId: "r-1", caller: "anonymous" }), at: at(number) });
    await history.append([
      ...Array.from({ length: 150 }, (_, number) => forged(number)),
      { ...request(150, { requestId: "r-1" }), at: at(150) },
      ...Array.from({ length: 1_000 }, (_, number) => forged(151 + number)),
    ]);
    const traces = await history.tracesOf("r-1");
    assert.equal(traces.length, 10);
    assert.ok(traces.includes(traceOf(150)));
  });

  test("requests of more than an hour ago are not found, and go with the next ones", async () => {
    await history.append([{ ...request(1), at: at(0) }]);
    await clock.advance(3_600_001);
    assert.deepEqual([await history.tracesOf("r1"), await history.ofTraces([traceOf(1)], 10)], [[], []]);
    await history.append([{ ...request(2), at: at(0) }]);
    const { rows } = await fixture.database.query("select request_id from platform.requests");
    assert.deepEqual(rows, [{ request_id: "r2" }]);
  });
});
