import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Writes the code of an app that is one module, `src/server.ts`. Returns its folder, which the caller removes. */
export async function writeAppFolder(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "appserver-app-"));
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "src/server.ts"), source);
  return folder;
}
