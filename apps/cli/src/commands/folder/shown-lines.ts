const kept = 200;

/** The last lines of the log of an app that were printed. A failure of its start has them, too. */
export class ShownLines {
  readonly #lines: string[] = [];

  /** Returns the line. */
  add(line: string): string {
    this.#lines.push(line.trim());
    if (this.#lines.length > kept) this.#lines.shift();
    return line;
  }

  /** Returns a message without the lines after its first one that were printed already: the log of an app that ends at once may be late. */
  without(message: string): string {
    const [first = "", ...others] = message.split("\n");
    return [first, ...others.filter((line) => !this.#lines.includes(line.trim()))].join("\n");
  }
}
