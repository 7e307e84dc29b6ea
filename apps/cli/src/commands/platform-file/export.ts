import { writeFile } from "node:fs/promises";
import type { GlobalOptions } from "../../global-options.ts";
import { note, printValue } from "../../output.ts";
import { connect } from "../../platform.ts";
import { readPlatform } from "../../platform-file/read-platform.ts";
import { saveRelease } from "../../platform-file/releases.ts";
import { platformFileText } from "../../platform-file/write-platform-file.ts";

export interface ExportFlags {
  readonly output?: string;
  readonly releases?: string;
}

/** Writes what an operator decided about a platform as a file, and the releases that it names into a folder. */
export async function exportPlatform(options: GlobalOptions, { output, releases }: ExportFlags): Promise<void> {
  const platform = await readPlatform(options);
  if (releases !== undefined) {
    const client = connect(options);
    for (const app of platform.apps) {
      await saveRelease(client, releases, app);
      note(`${app.name} ${app.version} is in ${releases}`);
    }
  }
  const text = platformFileText(platform, options.http);
  if (output === undefined) printValue(text.trimEnd());
  else await writeFile(output, text);
}
