/** Beyond this number, all values count as changed. */
const maxChanges = 10_000;

/**
 * Changes of values that could not be made while the server of a cache did not respond. The values still in it are outdated and must not be
 * used after it returns: one of them may be a permission that was revoked in between.
 */
export class MissedChanges {
  #names = new Set<string>();
  #prefixes = new Set<string>();

  get isEmpty(): boolean {
    return this.#names.size === 0 && this.#prefixes.size === 0;
  }

  /** Adds names of keys in the cache. */
  addNames(names: readonly string[]): void {
    for (const name of names) this.#names.add(name);
    this.#bound();
  }

  /** Adds a prefix of values' keys. */
  addPrefix(prefix: string): void {
    this.#prefixes.add(prefix);
    this.#bound();
  }

  /** Returns all missed changes and clears them. */
  take(): { names: readonly string[]; prefixes: readonly string[] } {
    const taken = { names: [...this.#names], prefixes: [...this.#prefixes] };
    this.#names = new Set();
    this.#prefixes = new Set();
    return taken;
  }

  #bound(): void {
    if (this.#names.size + this.#prefixes.size <= maxChanges) return;
    this.#names = new Set();
    this.#prefixes = new Set([""]);
  }
}
