import type { LogLineFragment } from "./generated/operations.ts";

type Line = Pick<LogLineFragment, "time" | "stream" | "text" | "container" | "generation" | "instance">;

/** Where the lines of one source have arrived. Its lines are in order, and have no order with those of others. */
interface Position {
  /** Of the last line, in milliseconds. */
  readonly time: string;
  /** The texts of the lines with this time. */
  readonly texts: string[];
  /** What a continued log may repeat: the lines before this time, and of those with this time these texts. */
  repeated: { readonly time: string; readonly texts: string[] } | undefined;
}

/** A line that arrives later than this after one of another source was not on its way when the connection was lost. */
const latenessMs = 60_000;
/** More than the streams of all instances of an app. */
const maxSources = 1_000;

/** Finds the lines that a log repeats when it is continued over another connection. */
export class FollowedLines {
  readonly #positions = new Map<string, Position>();

  /**
   * Returns the time from which the log is continued. A source may have printed lines that were on their way before the last line of
   * another one. Undefined: there was no line.
   */
  get since(): string | undefined {
    const times = [...this.#positions.values()].map(({ time }) => Date.parse(time));
    if (times.length === 0) return undefined;
    // The platform sends what is later, and another line may have the same time.
    const earliest = Math.max(Math.min(...times), Math.max(...times) - latenessMs) - 1;
    return new Date(earliest).toISOString();
  }

  /** Handles the loss of a connection. */
  interrupted(): void {
    for (const position of this.#positions.values()) position.repeated = { time: position.time, texts: [...position.texts] };
  }

  /** Returns whether the line is new. */
  add(line: Line): boolean {
    const { time, text } = line;
    const key = JSON.stringify([line.instance ?? line.container, line.generation, line.stream]);
    const known = this.#positions.get(key);
    if (known?.repeated && wasRepeated(known.repeated, line)) return false;
    const texts = known?.time === time ? known.texts : [];
    texts.push(text);
    // The sources that have printed last are kept.
    this.#positions.delete(key);
    this.#positions.set(key, { time, texts, repeated: known?.repeated });
    if (this.#positions.size > maxSources) this.#positions.delete(this.#positions.keys().next().value ?? "");
    return true;
  }
}

function wasRepeated(repeated: NonNullable<Position["repeated"]>, { time, text }: Line): boolean {
  if (time !== repeated.time) return time < repeated.time;
  const index = repeated.texts.indexOf(text);
  if (index >= 0) repeated.texts.splice(index, 1);
  return index >= 0;
}
