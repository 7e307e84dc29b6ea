import type { Environment } from "../global-options.ts";
import type { FindRelease } from "./compare-app.ts";
import type { LivePlatform } from "./read-platform.ts";
import type { ReadPlatformFile } from "./read-platform-file.ts";

/** What a plan is made of. */
export interface PlanInput {
  readonly file: ReadPlatformFile;
  readonly live: LivePlatform;
  readonly find: FindRelease;
  /** The folder with releases, for messages. */
  readonly releases: string | undefined;
  readonly environment: Environment;
  readonly prune: boolean;
}
