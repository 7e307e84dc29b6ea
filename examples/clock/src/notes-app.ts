import type { AppClient } from "@appserver/sdk";

export type NotesCount = { readonly count: number } | { readonly unavailable: string };

const notesPath = "/api/apps/com.example.notes/notes?limit=1";

/** Queries the number of notes from the notes app through the platform. Never rejects: notes are a SOFT dependency. */
export async function countNotes(platform: AppClient): Promise<NotesCount> {
  try {
    const response = await platform.fetch(notesPath);
    if (!response.ok) return { unavailable: `the notes app responded with ${response.status}` };
    const body: unknown = await response.json();
    const total = typeof body === "object" && body !== null && "total" in body ? body.total : undefined;
    return typeof total === "number" ? { count: total } : { unavailable: "the response of the notes app has no count" };
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    return { unavailable: late ? "the notes app did not respond in time" : "the platform is unreachable" };
  }
}

/** Reads the text of a note. Null if it cannot be read. Never rejects. */
export async function noteText(platform: AppClient, id: string): Promise<string | null> {
  try {
    const response = await platform.fetch(`/api/apps/com.example.notes/notes/${encodeURIComponent(id)}`);
    const body: unknown = response.ok ? await response.json() : undefined;
    return typeof body === "object" && body !== null && "text" in body && typeof body.text === "string" ? body.text : null;
  } catch {
    return null;
  }
}
