import { setTimeout as sleep } from "node:timers/promises";
import { type PlatformClient, triggerHook } from "@appserver/sdk";
import type { Note } from "./note-store.ts";

/** What other apps can subscribe to. */
export const createdHook = "com.example.notes.created";

const pausesMs = [500, 2_000, 10_000];

/**
 * Tells subscribers of a new note, through the platform: it keeps the hook for each of them. The note is stored already, so
 * nobody waits for this and it never rejects; a platform that is away for longer than a few tries never hears of the note.
 */
export async function tellCreated(platform: PlatformClient, note: Note): Promise<void> {
  const { id, createdAt, createdBy } = note;
  for (const pause of [...pausesMs, undefined]) {
    try {
      await triggerHook(platform, createdHook, { id, createdAt, createdBy }, { orderingKey: id });
      return;
    } catch (error) {
      if (pause === undefined) console.error(`nobody was told of note ${id}:`, String(error));
      else await sleep(pause, undefined, { ref: false });
    }
  }
}
