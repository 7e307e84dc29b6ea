import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainerFile } from "@appserver/kernel/ports";

/** The private folders with the identities of containers, one for each container id. A rename of the container changes none. */
export class IdentityFolders {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "identities");
  }

  of(containerId: string): string {
    return join(this.#folder, containerId);
  }

  /** Replaces each file as a whole, because the app may be reading it. */
  write(containerId: string, files: readonly ContainerFile[]): void {
    const folder = this.of(containerId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { name, text } of files) {
      const draft = join(folder, `.${name}-${randomUUID()}`);
      writeFileSync(draft, text, { mode: 0o400 });
      renameSync(draft, join(folder, name));
    }
  }

  remove(containerId: string): void {
    rmSync(this.of(containerId), { recursive: true, force: true });
  }
}
