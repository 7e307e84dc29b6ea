import type { AppLogTailSubscription, LogLineFragment } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { type ParsedLine, parseLine } from "../../parts/log-line.ts";

/** A line of the log, or a remark about what is between two lines. */
export interface Row extends ParsedLine {
  readonly id: number;
  /** As it was printed. */
  readonly text: string;
  /** Undefined: a remark. */
  readonly line: LogLineFragment | undefined;
}

/** Lines that are kept in the page. */
export const maxKept = 2_000;

/** The newest lines of an app. When the subscription begins again, lines that it has are not added a second time. */
export class LogBuffer {
  rows: readonly Row[] = [];
  /** All lines so far, also those that are no longer kept. */
  received = 0;
  #lastId = 0;
  #again = new Map<string, number>();

  /** The next entries begin with lines from before. */
  restart(): void {
    this.#again = new Map();
    for (const { line } of this.rows) if (line) this.#again.set(keyOf(line), (this.#again.get(keyOf(line)) ?? 0) + 1);
  }

  add({ isStart, linesLeftOut, lines, container, generation }: AppLogTailSubscription["appLog"]): void {
    const added: Row[] = [];
    if (isStart)
      added.push(
        this.#remark(
          i18n.t("{container} has started, generation {generation}", {
            container: container ?? i18n.t("a container"),
            generation: generation ?? i18n.t("unknown"),
          }),
        ),
      );
    if (linesLeftOut > 0) added.push(this.#remark(i18n.t("{linesLeftOut} lines are left out here", { linesLeftOut })));
    for (const line of lines) {
      if (this.#isKnown(line)) continue;
      const parsed = parseLine(line.text);
      added.push({
        ...parsed,
        id: this.#nextId(),
        text: line.text,
        message: line.isCut ? `${parsed.message} … ${i18n.t("(cut)")}` : parsed.message,
        line,
      });
      this.received += 1;
    }
    if (added.length > 0) this.rows = [...this.rows, ...added].slice(-maxKept);
  }

  #isKnown(line: LogLineFragment): boolean {
    const key = keyOf(line);
    const count = this.#again.get(key) ?? 0;
    if (count > 0) this.#again.set(key, count - 1);
    return count > 0;
  }

  #remark(text: string): Row {
    return { id: this.#nextId(), text, message: text, fields: "", level: undefined, requestId: undefined, line: undefined };
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function keyOf({ container, generation, stream, time, text }: LogLineFragment): string {
  return `${container} ${generation} ${stream} ${time} ${text}`;
}
