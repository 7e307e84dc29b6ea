import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ContainerError } from "@appserver/kernel/ports";

/**
 * The state folder of a runtime. A file in it has an id, from which a runtime finds that the folder was removed, or replaced by
 * another one. Then the containers are unknown, and not missing: none may be started a second time.
 */
export class StateFolder {
  readonly path: string;
  readonly #id: string;

  /** Creates the folder if it is missing. */
  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    addId(this.#idFile);
    this.#id = readFileSync(this.#idFile, "utf8");
  }

  get #idFile(): string {
    return join(this.path, "folder-id");
  }

  /** Throws a {@link ContainerError} of reason `unreachable` if the folder was removed or replaced, or is unreadable. */
  require(): void {
    let id: string;
    try {
      id = readFileSync(this.#idFile, "utf8");
    } catch (cause) {
      const { code = String(cause) } = cause as NodeJS.ErrnoException;
      const problem = code === "ENOENT" ? "was removed" : `cannot be read (${code})`;
      throw new ContainerError("unreachable", `the folder ${this.path}, in which the containers are recorded, ${problem}`, {
        cause,
      });
    }
    if (id !== this.#id)
      throw new ContainerError("unreachable", `the folder ${this.path}, in which the containers are recorded, was replaced`);
  }
}

/** Links a complete file: another process on the same folder must not read half an id. */
function addId(file: string): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, randomUUID(), { mode: 0o600 });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
