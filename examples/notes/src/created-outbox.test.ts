import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { until } from "@appserver/testing/kit";
import { CreatedOutbox } from "./created-outbox.ts";
import type { Note } from "./note-store.ts";
import { type NotesDatabase, startNotesDatabase } from "./notes-database.suite.ts";

describe("the outbox of created notes", () => {
  let database: NotesDatabase;
  beforeEach(async () => {
    database = await startNotesDatabase();
  });
  afterEach(() => database?.stop());

  /** Opens store and outbox as a new process would. */
  const opened = async (send: (note: Note) => Promise<unknown>, pollMs?: number) => {
    const store = await database.open();
    const outbox = new CreatedOutbox(store, send, pollMs);
    return {
      add: async (text: string) => {
        await store.add(text, "user:alice");
        outbox.wake();
      },
      stop: () => outbox.stop(),
    };
  };

  test("sends each note in order, although the platform was unreachable and the process ended in between", async (t) => {
    t.mock.method(console, "error", () => {});
    const tries: string[] = [];
    const away = await opened(async ({ text }) => {
      tries.push(text);
      throw new Error("the platform is unreachable");
    });
    await away.add("first");
    await away.add("second");
    await until("a first attempt", () => tries.length > 0);
    await away.stop();
    assert.equal(tries.includes("second"), false, "nothing overtakes the first");

    const sent: string[] = [];
    const back = await opened(async ({ text }) => {
      // The first attempt for each note fails.
      tries.push(text);
      if (tries.filter((tried) => tried === text).length === 1) throw new Error("not yet");
      sent.push(text);
    });
    await back.add("third");
    await until("all are sent", () => sent.length === 3);
    await back.stop();
    assert.deepEqual(sent, ["first", "second", "third"]);
    assert.deepEqual(await database.query("select from notes where not is_announced"), []);
  });

  test("a note is announced in the trace of the request that added it", async () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const store = await database.open();
    const note = await store.add("traced", "user:alice", traceparent);
    await store.add("not traced", "user:alice");
    const sent: (string | undefined)[] = [];
    const outbox = new CreatedOutbox(store, async (_, trace) => sent.push(trace));
    await until("both are sent", () => sent.length === 2);
    await outbox.stop();
    assert.deepEqual(sent, [traceparent, undefined]);
    assert.ok(!("traceparent" in note), "callers do not see it");
  });

  test("two generations that run at once send each note once", async () => {
    const sent: string[] = [];
    const send = async ({ text }: Note) => {
      sent.push(text);
      await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const generations = [await opened(send, 10), await opened(send, 10), await opened(send, 10)];
    const texts = Array.from({ length: 60 }, (_, n) => String(n));
    await Promise.all(texts.map(async (text, n) => generations[n % 2]?.add(text)));
    await until(
      "all are announced",
      async () => (await database.query("select from notes where not is_announced")).length === 0,
    );
    for (const generation of generations) await generation.stop();
    assert.equal(sent.length, 60);
    assert.deepEqual([...sent].sort(), [...texts].sort());
  });

  test("sends what another process of the app stored and did not send before it ended", async () => {
    const sent: string[] = [];
    const running = await opened(async ({ text }) => sent.push(text), 10);
    const ended = await database.open();
    await ended.add("left", "user:alice");
    await until("it is sent", () => sent.length === 1);
    await running.stop();
    assert.deepEqual(sent, ["left"]);
  });
});
