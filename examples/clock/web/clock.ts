import { adoptStyles } from "./adopt-styles.ts";
import css from "./clock.css?inline";

export interface ClockOptions {
  /** Base path of the backend. Default: the path under which the platform serves it. */
  readonly apiBase?: string;
}

interface Now {
  readonly now: string;
  readonly timezone: string;
  readonly notes: { readonly count: number } | { readonly unavailable: string };
}

/** Interval of queries to the server. Between two queries, the clock runs locally. */
const syncEveryMs = 30_000;

/** Shows the clock in an element and returns a function that removes it. Every frontend of the platform exports `mount`. */
export function mount(element: Element, { apiBase = "/api/apps/com.example.clock" }: ClockOptions = {}): () => void {
  const dropStyles = adoptStyles(element, css);
  const page = document.createElement("main");
  page.className = "clock-app";
  const title = part("h1", "clock-title", "Clock");
  const time = part("time", "clock-time", "--:--:--");
  const date = part("p", "clock-date", "");
  const notes = part("p", "clock-notes", "Waiting for the server…");
  notes.setAttribute("role", "status");
  page.append(title, time, date, notes);
  element.append(page);

  const abort = new AbortController();
  let server: { readonly aheadMs: number; readonly timezone: string } | undefined;

  async function sync(): Promise<void> {
    try {
      const now = await fetchNow(apiBase, abort.signal);
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

  void sync();
  const ticking = setInterval(show, 1000);
  const syncing = setInterval(() => void sync(), syncEveryMs);
  return () => {
    abort.abort();
    clearInterval(ticking);
    clearInterval(syncing);
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

async function fetchNow(apiBase: string, signal: AbortSignal): Promise<Now> {
  const response = await fetch(`${apiBase}/now`, { signal }).catch((error: unknown) => {
    throw signal.aborted ? error : new Error("The server is unreachable.");
  });
  if (response.status === 401) throw new Error("Sign in to see the server's time.");
  if (response.status === 403) throw new Error("You are not allowed to see the server's time.");
  if (!response.ok) throw new Error(`The clock app responded with ${response.status}.`);
  return (await response.json()) as Now;
}

function notesText(notes: Now["notes"]): string {
  if ("unavailable" in notes) return `Notes are not available: ${notes.unavailable}`;
  return notes.count === 1 ? "There is 1 note" : `There are ${notes.count} notes`;
}
