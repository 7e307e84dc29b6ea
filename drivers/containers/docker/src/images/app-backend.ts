import type { TarEntry } from "@appserver/contracts/folder-images";

/** What an image contains to run an app's backend. */
export interface AppBackend {
  readonly base: string;
  /** What the backend imports and the base does not have, with paths from the root. Changes less often than the app's own files. */
  readonly packages: readonly TarEntry[];
  /** The backend itself, below `app/`. */
  readonly files: readonly TarEntry[];
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}
