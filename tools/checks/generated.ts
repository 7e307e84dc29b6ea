// Checks that generated files are up to date with their sources.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateAll, protoFolder, textGenerators } from "../codegen/generate-all.ts";
import { finish, root } from "./run-tool.ts";

/** Returns the files below `folder` as relative paths. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function isSame(path: string, fresh: string): boolean {
  const [committed, generated] = [join(root, path), join(fresh, path)];
  return existsSync(committed) && existsSync(generated) && readFileSync(committed).equals(readFileSync(generated));
}

const fresh = mkdtempSync(join(tmpdir(), "generated-"));
try {
  await generateAll(fresh);
  const protoFiles = new Set([root, fresh].flatMap((from) => filesBelow(join(from, protoFolder))));
  const paths = [...Object.keys(textGenerators), ...[...protoFiles].map((file) => join(protoFolder, file))];
  const stale = paths.filter((path) => !isSame(path, fresh));
  for (const path of stale) process.stdout.write(`${path} is not what its source generates: run \`npm run generate\`\n`);
  process.stdout.write(`${paths.length} generated files, ${stale.length} stale\n`);
  finish(stale.length === 0);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
