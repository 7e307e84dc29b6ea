/** More than these are remembered as "everything". */
const maxChanges = 10_000;

/**
 * Changes of values that could not be made while Redis did not answer. What it still has of them is out of date and
 * must not come back with it: a permission that was revoked meanwhile, for one.
 */
export class MissedChanges {
  #names = new Set<string>();
  #prefixes = new Set<string>();

  get isEmpty(): boolean {
    return this.#names.size === 0 && this.#prefixes.size === 0;
  }

  /** Of keys as Redis knows them. */
  addNames(names: readonly string[]): void {
    for (const name of names) this.#names.add(name);
    this.#bound();
  }

  /** Of values' keys. */
  addPrefix(prefix: string): void {
    this.#prefixes.add(prefix);
    this.#bound();
  }

  /** Hands over all there is, and is empty. */
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
