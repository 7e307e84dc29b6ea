import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { CreatedOutbox } from "./created-outbox.ts";
import { type Note, NoteStore } from "./note-store.ts";

describe("the outbox of created notes", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "notes-"));
  });
  after(() => rm(folder, { recursive: true }));

  /** Opens store and outbox as a new process would. */
  const opened = async (send: (note: Note) => Promise<unknown>) => {
    const store = await NoteStore.open(join(folder, "notes.jsonl"));
    const outbox = await CreatedOutbox.open(join(folder, "notes.sent"), store, send);
    return {
      add: async (text: string) => {
        await store.add(text, "user:alice");
        outbox.wake();
      },
      close: async () => {
        await outbox.stop();
        await store.close();
      },
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
    await away.close();
    assert.equal(tries.includes("second"), false, "nothing overtakes the first");

    const sent: string[] = [];
    const all = Promise.withResolvers<void>();
    const back = await opened(async ({ text }) => {
      // The first attempt for each note fails.
      tries.push(text);
      if (tries.filter((tried) => tried === text).length === 1) throw new Error("not yet");
      sent.push(text);
      if (sent.length === 3) all.resolve();
    });
    await back.add("third");
    await all.promise;
    await back.close();
    assert.deepEqual(sent, ["first", "second", "third"]);

    const later = await opened(async ({ text }) => sent.push(text));
    await later.close();
    assert.equal(sent.length, 3, "what was sent is not sent again");
  });

  test("does not send notes that are older than the outbox", async () => {
    await rm(join(folder, "notes.sent"));
    const sent: string[] = [];
    const outbox = await opened(async ({ text }) => sent.push(text));
    await outbox.close();
    assert.deepEqual(sent, []);
  });
});
