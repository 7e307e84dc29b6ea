/** What the program sends to its parent. */
export type PageBuildMessage =
  | { readonly kind: "started" }
  | { readonly kind: "built"; readonly tookMs: number }
  | {
      readonly kind: "problem";
      /** One line, without the place. */
      readonly message: string;
      readonly file?: string;
      /** From 1. */
      readonly line?: number;
      /** From 0. */
      readonly column?: number;
    };

/**
 * A module that runs in the folder of an app, so that it imports the vite of the app. It watches and builds until its parent ends.
 *
 * It compiles each source of the app once more before other plugins get it: a source that cannot be compiled is replaced by an empty module, and
 * reported when the build has failed. Only then are the files watched, so that the change that follows is seen. A plugin that waits until all modules are parsed would otherwise wait until its own time is over. The program empties
 * the output once, and then removes what the last build has written and this one has not: vite would empty it before a build that fails, too.
 */
export const pageBuildProgram: string = `
import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import * as vite from "vite";

process.once("disconnect", () => process.exit());
const compile = vite.transformWithOxc ?? vite.transformWithEsbuild;
let problem;
let written = new Set();
let folder;
let startedAt = performance.now();

function placed(error) {
  const { message, loc, id } = error.errors?.[0] ?? error;
  const [line] = String(message).split("\\n").filter((each) => each.trim() !== "");
  return {
    kind: "problem",
    message: (line ?? "").replace(/\\x1b\\[[0-9;]*m/g, "").replace(/^\\[[A-Z_]+\\] /, ""),
    file: loc?.file ?? id,
    line: loc?.line,
    column: loc?.column,
  };
}

const plugin = {
  name: "appctl",
  enforce: "pre",
  configResolved(config) {
    folder = resolve(config.root, config.build.outDir);
    const below = relative(process.cwd(), folder);
    if (below !== "" && !below.startsWith("..") && !isAbsolute(below)) rmSync(folder, { recursive: true, force: true });
  },
  buildStart() {
    problem = undefined;
  },
  async transform(code, id) {
    if (!isAbsolute(id) || id.includes("/node_modules/") || !/\\.[cm]?[jt]sx?$/.test(id)) return;
    try {
      await compile(code, id);
    } catch (error) {
      problem ??= error;
      return { code: "export {}", map: null };
    }
  },
  renderStart() {
    if (problem) throw problem;
  },
  async writeBundle(_, bundle) {
    const names = new Set(Object.keys(bundle));
    for (const name of written) if (!names.has(name)) await rm(join(folder, name), { force: true });
    written = names;
  },
};

const watcher = await vite.build({
  logLevel: process.env.APPCTL_PAGE_LOG_LEVEL,
  clearScreen: false,
  plugins: [plugin],
  build: { watch: {}, emptyOutDir: false, minify: false, reportCompressedSize: false },
});
watcher.on("event", async (event) => {
  if (event.code === "BUNDLE_START") {
    startedAt = performance.now();
    process.send({ kind: "started" });
  }
  if (event.code === "ERROR") process.send(placed(problem ?? event.error));
  if (event.code !== "BUNDLE_END") return;
  await event.result.close();
  process.send({ kind: "built", tookMs: performance.now() - startedAt });
});
`;
