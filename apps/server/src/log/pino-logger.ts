import { jsonText, type Logger, logJson, type WithLogJson } from "@appserver/kernel";
import type { Logger as Pino } from "pino";

export interface PinoLoggerParts {
  readonly pino: Pino;
  /** Gets a line with its line break. */
  readonly write: (line: string) => void;
  /** Members of every line, which pino writes as well. */
  readonly bindings: object;
}

/** Writes lines with pino, and info lines whose fields know their JSON without it, in the same form. */
export class PinoLogger implements Logger {
  readonly #parts: PinoLoggerParts;
  /** `,"service":"x"`. */
  readonly #bound: string;
  readonly #writesInfo: boolean;

  constructor(parts: PinoLoggerParts) {
    this.#parts = parts;
    const members = JSON.stringify(parts.bindings).slice(1, -1);
    this.#bound = members === "" ? "" : `,${members}`;
    this.#writesInfo = parts.pino.isLevelEnabled("info");
  }

  debug(fields: object, message?: string): void {
    this.#parts.pino.debug(fields, message);
  }

  info(fields: object, message?: string): void {
    const { [logJson]: json } = fields as Partial<WithLogJson>;
    if (json === undefined) this.#parts.pino.info(fields, message);
    else if (this.#writesInfo) this.#write(json.call(fields), message);
  }

  warn(fields: object, message?: string): void {
    this.#parts.pino.warn(fields, message);
  }

  error(fields: object, message?: string): void {
    this.#parts.pino.error(fields, message);
  }

  child(bindings: object): Logger {
    const { pino, ...parts } = this.#parts;
    return new PinoLogger({ ...parts, pino: pino.child(bindings), bindings: { ...parts.bindings, ...bindings } });
  }

  #write(members: string, message: string | undefined): void {
    const end = message === undefined ? "}\n" : `,"msg":${jsonText(message)}}\n`;
    this.#parts.write(`{"level":"info","time":"${isoTime()}"${this.#bound},${members}${end}`);
  }
}

let [second, secondText] = [0, ""];

/** Returns the time of a line. Many lines are of the same second. */
function isoTime(): string {
  const now = Date.now();
  const ms = now % 1_000;
  if (now - ms !== second) {
    second = now - ms;
    secondText = new Date(second).toISOString().slice(0, -"000Z".length);
  }
  return `${secondText}${String(ms).padStart(3, "0")}Z`;
}
