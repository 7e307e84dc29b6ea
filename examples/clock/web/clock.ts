import type { PageContext } from "@appserver/sdk/page";
import { adoptStyles } from "./adopt-styles.ts";
import css from "./clock.css?inline";

interface Now {
  readonly now: string;
  readonly timezone: string;
  readonly notes: { readonly count: number } | { readonly unavailable: string };
}

interface LastNote {
  readonly id: string;
  readonly createdAt: string;
  /** Null if the clock may not read it. */
  readonly text: string | null;
}

const retryMs = 5_000;
const maxText = 140;

/** Interval of queries to the server. Between two queries, the clock runs locally. */
const syncEveryMs = 30_000;

/** Shows the clock in an element and returns a function that removes it. Every frontend of the platform exports `mount`. */
export function mount(element: HTMLElement, shell: PageContext): () => void {
  const dropStyles = adoptStyles(element, css);
  element.style.colorScheme = shell.theme;
  const unwatch = shell.onThemeChange((theme) => {
    element.style.colorScheme = theme;
  });
  const page = document.createElement("div");
  page.className = "app clock";
  const title = part("h1", "", "Clock");
  const time = part("time", "clock-time", "--:--:--");
  const date = part("p", "dim", "");
  const notes = part("p", "badge", "Waiting for the server…");
  notes.setAttribute("role", "status");
  const newest = part("p", "small dim", "");
  newest.setAttribute("role", "status");
  page.append(title, time, date, notes, newest);
  const look = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/sdk/app.css" });
  element.append(look, page);

  const abort = new AbortController();
  let server: { readonly aheadMs: number; readonly timezone: string } | undefined;

  async function sync(): Promise<void> {
    try {
      const now = await fetchNow(shell.fetch, abort.signal);
      server = { aheadMs: Date.parse(now.now) - Date.now(), timezone: now.timezone };
      say(notes, notesText(now.notes));
    } catch (error) {
      if (!abort.signal.aborted) say(notes, error instanceof Error ? error.message : String(error));
    }
    show();
  }

  function show(): void {
    if (!server) return;
    const now = new Date(Date.now() + server.aheadMs);
    const timeZone = server.timezone;
    time.dateTime = now.toISOString();
    time.textContent = now.toLocaleTimeString(undefined, { timeZone, hourCycle: "h23" });
    date.textContent = `${now.toLocaleDateString(undefined, { timeZone, dateStyle: "full" })} · ${timeZone}`;
  }

  /** Shows each note as soon as the platform has delivered its hook, until the page is removed. */
  async function followNotes(): Promise<void> {
    for (let known: string | undefined; !abort.signal.aborted; ) {
      try {
        const note = await fetchLastNote(shell.fetch, known, abort.signal);
        if (note && note.id !== known) {
          say(newest, newestText(note, timeOf(note.createdAt)));
          if (known !== undefined) void sync();
        }
        known = note?.id;
      } catch {
        // The line with the number of notes says what is wrong.
        await pause(retryMs, abort.signal);
      }
    }
  }

  function timeOf(instant: string): string {
    const zone = server === undefined ? {} : { timeZone: server.timezone };
    return new Date(instant).toLocaleTimeString(undefined, { ...zone, hourCycle: "h23" });
  }

  void sync().then(followNotes);
  const ticking = setInterval(show, 1000);
  const syncing = setInterval(() => void sync(), syncEveryMs);
  return () => {
    unwatch();
    abort.abort();
    clearInterval(ticking);
    clearInterval(syncing);
    look.remove();
    page.remove();
    dropStyles();
  };
}

function part<Name extends "h1" | "time" | "p">(name: Name, className: string, text: string): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

/** Sets the text only if it changed: screen readers read a status again when it is set again. */
function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

async function fetchNow(send: PageContext["fetch"], signal: AbortSignal): Promise<Now> {
  const response = await send("/now", { signal }).catch((error: unknown) => {
    throw signal.aborted ? error : new Error("The server is unreachable.");
  });
  if (response.status === 401) throw new Error("Sign in to see the server's time.");
  if (response.status === 403) throw new Error("You are not allowed to see the server's time.");
  if (!response.ok) throw new Error(`The clock app responded with ${response.status}.`);
  return (await response.json()) as Now;
}

/** Returns the newest note: at once if it is not `known`, otherwise after the next one or some seconds. */
async function fetchLastNote(
  send: PageContext["fetch"],
  known: string | undefined,
  signal: AbortSignal,
): Promise<LastNote | null> {
  const query = known === undefined ? "" : `?${new URLSearchParams({ after: known })}`;
  const response = await send(`/last-note${query}`, { signal });
  if (!response.ok) throw new Error(`The clock app responded with ${response.status}.`);
  return ((await response.json()) as { note: LastNote | null }).note;
}

function newestText({ text }: LastNote, time: string): string {
  if (text === null) return `New note at ${time}`;
  return `New note at ${time}: ${text.length > maxText ? `${text.slice(0, maxText)}…` : text}`;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function notesText(notes: Now["notes"]): string {
  if ("unavailable" in notes) return `Notes are not available: ${notes.unavailable}`;
  return notes.count === 1 ? "There is 1 note" : `There are ${notes.count} notes`;
}
