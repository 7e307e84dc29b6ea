import type { Head } from "./response-head.ts";

const maxHeads = 16;
/** Receivers come and go while a head stays: with more, all results are derived again. */
const maxDerived = 16;

/** The last short heads of a backend, by their text: many responses have the same one. */
export class KnownHeads {
  readonly #heads = new Map<string, Head>();

  /** What is derived from a head is kept from its second response on. */
  find(text: string): Head | undefined {
    const head = this.#heads.get(text);
    if (head && (head.derived === undefined || head.derived.size > maxDerived)) head.derived = new Map();
    return head;
  }

  add(head: Head): void {
    // A head has the time in it, so that most of them are old.
    if (this.#heads.size >= maxHeads) this.#heads.clear();
    this.#heads.set(head.text, head);
  }
}
