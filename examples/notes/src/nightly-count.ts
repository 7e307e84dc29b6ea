import { setTimeout as sleep } from "node:timers/promises";
import type { ActivityHandler } from "@appserver/sdk";
import type { NoteStore } from "./note-store.ts";

/** Counts notes and words day by day and reports progress. `pauseMs` is the pause between days, to make progress visible. */
export function nightlyCount(store: NoteStore): ActivityHandler {
  return async ({ input, signal, progress }) => {
    const { pauseMs = 0 } = (input ?? {}) as { pauseMs?: number };
    const notes = await store.list();
    const days = [...new Set(notes.map(({ createdAt }) => createdAt.slice(0, 10)))];
    let words = 0;
    for (const [index, day] of days.entries()) {
      progress(index / days.length, `counting ${day}`);
      await sleep(pauseMs, undefined, { signal });
      for (const { createdAt, text } of notes) if (createdAt.startsWith(day)) words += text.split(/\s+/).length;
    }
    progress(1, "done");
    return { notes: notes.length, days: days.length, words };
  };
}
