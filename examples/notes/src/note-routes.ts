import { type AppCall, type AppHandler, currentTrace, HttpError } from "@appserver/sdk";
import { isToken } from "./check-token.ts";
import type { NoteChanges } from "./note-changes.ts";
import { defaultSettings, type NoteSettings } from "./note-settings.ts";
import type { NoteStore } from "./note-store.ts";

const maxTextLength = 10_000;
const maxLimit = 1000;

/** Returns the routes of the backend. Paths are relative to the manifest's base path, which the platform removes. */
export function noteRoutes(
  store: NoteStore,
  changes: NoteChanges,
  onCreated: () => void = () => {},
  settings: NoteSettings = defaultSettings,
): Readonly<Record<string, AppHandler>> {
  return {
    "GET /notes": async (call) => ({ json: await store.page(limitOf(call, settings.pageSize())) }),
    "POST /notes": async (call) => {
      const note = await store.add(textOf(await call.json()), authorOf(call), currentTrace().traceparent);
      onCreated();
      return { status: 201, headers: { location: `/api/apps/com.example.notes/notes/${note.id}` }, json: note };
    },
    "GET /notes/{id}": async ({ params }) => ({ json: (await store.get(params["id"] ?? "")) ?? noSuchNote(params["id"]) }),
    "PUT /notes/{id}": async (call) => {
      const id = call.params["id"] ?? "";
      const note = (await store.edit(id, textOf(await call.json()))) ?? noSuchNote(id);
      changes.wake();
      return { json: note };
    },
    "DELETE /notes/{id}": async ({ params }) => {
      if (!(await store.remove(params["id"] ?? ""))) noSuchNote(params["id"]);
      changes.wake();
      return { status: 204 };
    },
    // Pages wait here for a change. In a sandboxed frame a response arrives as a whole, so a stream would not.
    "GET /changes": async ({ query }) => ({ json: { revision: await changes.after(query.get("after") ?? "") } }),
    "GET /export": async ({ request }) => {
      const expected = settings.exportToken();
      if (expected === undefined) throw new HttpError(404, "notes are not exported: notes.export_token is not set");
      const given = request.headers["x-export-token"];
      if (!isToken(typeof given === "string" ? given : undefined, expected))
        throw new HttpError(403, "X-Export-Token is not the token that was set");
      return { json: { notes: await store.list() } };
    },
    "GET /ping": () => ({ json: { pong: true } }),
    "GET /limited": () => ({ json: { answered: new Date().toISOString() } }),
    "GET /files": () => ({ json: { path: "", notes: [] } }),
    "GET /files/{path...}": async ({ params }) => {
      const path = params["path"] ?? "";
      return { json: { path, notes: path === "" ? [] : await store.mentioning(path) } };
    },
    "GET /tags/{tag}": async ({ params }) => ({
      json: { tag: params["tag"], notes: await store.mentioning(`#${params["tag"]}`) },
    }),
    "GET /reports/{year}": async ({ params }) => {
      const year = params["year"] ?? "";
      return { json: { year, notes: await store.countOfYear(year) } };
    },
  };
}

function noSuchNote(id: string | undefined): never {
  throw new HttpError(404, `there is no note ${id}`);
}

function limitOf({ query }: AppCall, pageSize: number): number {
  const text = query.get("limit");
  if (text === null) return pageSize;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > maxLimit) {
    throw new HttpError(400, `limit must be a number from 1 to ${maxLimit}, got ${JSON.stringify(text)}`);
  }
  return limit;
}

function textOf(body: unknown): string {
  const text = typeof body === "object" && body !== null && "text" in body ? body.text : undefined;
  if (typeof text !== "string")
    throw new HttpError(400, 'the body must be an object with a string "text", like {"text": "Buy milk"}');
  const trimmed = text.trim();
  if (trimmed === "") throw new HttpError(400, "text must not be empty");
  if (trimmed.includes("\0")) throw new HttpError(400, "text must not contain the character U+0000");
  if (trimmed.length > maxTextLength) {
    throw new HttpError(400, `text must have at most ${maxTextLength} characters, got ${trimmed.length}`);
  }
  return trimmed;
}

function authorOf({ caller }: AppCall): string {
  if (caller.userId !== undefined) return `user:${caller.userId}`;
  return caller.appName === undefined ? "unknown" : `app:${caller.appName}`;
}
