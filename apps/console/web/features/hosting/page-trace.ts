import { send } from "../../api/client.ts";
import { type PageMark, RecordPageDocument } from "../../generated/operations.ts";

/** What the platform takes of one trace (docs/interface/limits.md#traces). */
const maxMarks = 50;
const maxName = 64;
/** Marks wait for others, so that a page costs few requests. */
const waitMs = 2_000;
/** What the browser measures in the window of the console. Not every browser has both. */
const observed = ["longtask", "measure"].filter((type) => PerformanceObserver.supportedEntryTypes.includes(type));

/** The trace of a page of an app from one navigation to the next: its requests carry the id, and what takes time in the page joins it. */
export class PageTrace {
  readonly #appName: string;
  readonly #observer = new PerformanceObserver((list) => this.#measured(list.getEntries()));
  readonly #onHide = (): void => this.#send(true);
  #traceId = randomHex(16);
  #marks: PageMark[] = [];
  #count = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(appName: string) {
    this.#appName = appName;
    for (const type of observed) this.#observer.observe({ type });
    window.addEventListener("pagehide", this.#onHide);
  }

  /** The header of a request of the page. */
  traceparent(): string {
    return `00-${this.#traceId}-${randomHex(8)}-01`;
  }

  /** Adds what began at `startedAt`, a time of `performance.now()`, and has just ended. */
  ended(name: string, startedAt: number, durationMs: number = performance.now() - startedAt): void {
    if (this.#count >= maxMarks) return;
    this.#count += 1;
    const at = new Date(performance.timeOrigin + startedAt).toISOString();
    this.#marks.push({ name: name.slice(0, maxName), at, durationMs });
    this.#timer ??= setTimeout(() => this.#send(), waitMs);
  }

  /** What the page does from now on is another trace. */
  navigated(): void {
    this.#send();
    this.#traceId = randomHex(16);
    this.#count = 0;
    this.ended("navigation", performance.now());
  }

  close(): void {
    this.#observer.disconnect();
    window.removeEventListener("pagehide", this.#onHide);
    this.#send();
  }

  #measured(entries: PerformanceEntryList): void {
    for (const { entryType, name, startTime, duration } of entries)
      this.ended(entryType === "longtask" ? "long task" : name || "measure", startTime, duration);
  }

  #send(keepalive = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const marks = this.#marks;
    this.#marks = [];
    if (marks.length === 0) return;
    // A trace without the marks of its page is worth no message.
    const page = { appName: this.#appName, traceId: this.#traceId, marks };
    void send(RecordPageDocument, page, { keepalive }).catch(() => undefined);
  }
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
