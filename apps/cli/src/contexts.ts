import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "./usage-error.ts";

/** A platform, and the session of the user there. */
export interface Context {
  /** `https://apps.example.com` */
  readonly http: string;
  /** Of gRPC, if it has another address. */
  readonly grpc?: string;
  readonly token?: string;
  /** Absolute path of a file of PEM certificates. */
  readonly ca?: string;
}

interface Stored {
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

/** The platforms that `appctl login` has stored, in a file that only its user can read. */
export class Contexts {
  readonly file: string;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    const folder = environment["XDG_CONFIG_HOME"] || join(environment["HOME"] ?? homedir(), ".config");
    this.file = environment["APPSERVER_CONTEXTS"] || join(folder, "appserver", "contexts.json");
  }

  /** The name of the context in use. */
  get current(): string | undefined {
    return this.#read().current;
  }

  all(): readonly (readonly [name: string, context: Context])[] {
    return Object.entries(this.#read().contexts).toSorted(([one], [other]) => one.localeCompare(other));
  }

  /** Returns a context by its name, or the one in use. Throws {@link UsageError} if there is none of that name. */
  find(name?: string): Context | undefined {
    const { current, contexts } = this.#read();
    if (name === undefined) return current === undefined ? undefined : contexts[current];
    const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
    if (!context) throw new UsageError(`there is no context ${JSON.stringify(name)}; \`appctl context list\` shows them`);
    return context;
  }

  /** Stores a context and uses it from now on. */
  save(name: string, context: Context): void {
    const { contexts } = this.#read();
    this.#write({ current: name, contexts: { ...contexts, [name]: context } });
  }

  /** Throws {@link UsageError} if there is none of that name. */
  use(name: string): void {
    this.find(name);
    this.#write({ ...this.#read(), current: name });
  }

  /** Throws {@link UsageError} if there is none of that name. */
  remove(name: string): void {
    this.find(name);
    const { current, contexts } = this.#read();
    const { [name]: _removed, ...rest } = contexts;
    this.#write({ ...(current === undefined || current === name ? {} : { current }), contexts: rest });
  }

  #read(): Stored {
    if (!existsSync(this.file)) return { contexts: {} };
    try {
      const stored = JSON.parse(readFileSync(this.file, "utf8")) as Partial<Stored>;
      return { ...stored, contexts: stored.contexts ?? {} };
    } catch (cause) {
      throw new UsageError(`${this.file} is no JSON; repair it, or delete it and run \`appctl login\``, { cause });
    }
  }

  /** Another process never reads half of it. */
  #write(stored: Stored): void {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    const draft = `${this.file}.${randomUUID()}`;
    writeFileSync(draft, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.file);
  }
}
