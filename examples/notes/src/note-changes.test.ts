import assert from "node:assert/strict";
import { test } from "node:test";
import { NoteChanges } from "./note-changes.ts";

/** Far longer than a test: a wait must end for another reason. */
const long = 600_000;

function storeOf(...revisions: readonly string[]) {
  let read = 0;
  return { revision: async () => revisions[read++] ?? revisions.at(-1) ?? "" };
}

test("returns another revision at once", async () => {
  assert.equal(await new NoteChanges(storeOf("2"), long).after("1"), "2");
  assert.equal(await new NoteChanges(storeOf("0"), long).after(""), "0");
});

test("waits for a wake-up that changed the revision", async () => {
  const changes = new NoteChanges(storeOf("1", "1", "2"), long);
  let revision: string | undefined;
  void changes.after("1").then((seen) => {
    revision = seen;
  });
  while (revision === undefined) {
    changes.wake();
    await new Promise(setImmediate);
  }
  assert.equal(revision, "2");
});

test("does not miss a change that is made while it reads the revision", async () => {
  let read = 0;
  const changes: NoteChanges = new NoteChanges(
    {
      revision: async () => {
        read += 1;
        if (read === 1) changes.wake();
        return read === 1 ? "1" : "2";
      },
    },
    long,
  );
  assert.equal(await changes.after("1"), "2");
});

test("a wait ends by itself and when the app stops", async () => {
  assert.equal(await new NoteChanges(storeOf("1"), 1).after("1"), "1");
  const changes = new NoteChanges(storeOf("1"), long);
  const waiting = changes.after("1");
  changes.stop();
  assert.equal(await waiting, "1");
});
