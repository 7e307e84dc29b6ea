import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildOnce, packageFile } from "./build-once.ts";
import { runBuilder } from "./run-builder.ts";

/** Folders in which pages of the documentation are, or to which these link. */
const notRead = /(^|\/)(node_modules|dist|\.[^/]+)(\/|$)/;

/**
 * Builds the documentation from the Markdown files of the repository into `dist`: Vite builds the template, its search and styles, and
 * `src/write-site.ts` the pages. Skips the build if `dist` was built from the same files with the same libraries. Rejects with the
 * builder's output if the build fails.
 */
export async function buildDocs(folder: string): Promise<void> {
  const root = join(folder, "../..");
  await buildOnce({
    folder,
    sources: ["web", "src"],
    files: await pagesOf(root),
    into: async (draft) => {
      const vite = join(dirname(packageFile("vite", folder)), "bin/vite.js");
      await runBuilder(process.execPath, [vite, "build", "--outDir", draft, "--logLevel", "warn"], folder);
      const writer = join(folder, "src/write-site.ts");
      await runBuilder(process.execPath, ["--disable-warning=ExperimentalWarning", writer, draft], folder);
    },
  });
}

/** Returns the files of the repository that may be pages, or pictures of pages. */
async function pagesOf(root: string): Promise<readonly string[]> {
  const folders = (await readdir(root, { withFileTypes: true })).filter(
    (each) => each.isDirectory() && !notRead.test(each.name),
  );
  const inFolders = await Promise.all(
    folders.map(async ({ name }) => (await readdir(join(root, name), { recursive: true })).map((file) => join(name, file))),
  );
  const files = [...(await readdir(root)), ...inFolders.flat()].filter((file) => !notRead.test(file));
  return files
    .filter((file) => file.endsWith(".md") || /^docs\/.*\.(png|svg)$/.test(file))
    .map((file) => join(root, file))
    .sort();
}
