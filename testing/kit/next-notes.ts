import { resolve } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { type AppKeys, loadManifest, readAppKeys, type SignedManifest } from "@appserver/sdk";
import { shareKeys } from "../../examples/share-keys.ts";

export const notesFolder: string = resolve(import.meta.dirname, "../../examples/notes");
export const nextNotesFolder: string = resolve(import.meta.dirname, "../../examples/notes-1.1");

/**
 * Returns version 1.1 of notes, as its developer would register it, with a page that was built. The keys of notes must exist: a
 * platform that has installed the sample apps has made them.
 */
export async function nextNotes(): Promise<SignedManifest & { readonly keys: AppKeys }> {
  await shareKeys(notesFolder, nextNotesFolder);
  await buildFrontend(nextNotesFolder);
  const keys = await readAppKeys(nextNotesFolder);
  return { ...(await loadManifest(nextNotesFolder, keys)), keys };
}
