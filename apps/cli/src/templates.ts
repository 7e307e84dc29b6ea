import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Next to the sources, and next to the bundles of the package. */
const folder = fileURLToPath(new URL("../templates", import.meta.url));

/** What `appctl create` makes, by the name of its template. */
export const templates = {
  esm: "a page as an ES module, and a backend",
  "web-component": "a page as a custom element, and a backend",
  react: "a page in React, which shares the React of the console, and a backend; needs the npm registry",
  typescript:
    "a list, a form and a detail page in React, and a backend with a database, all in TypeScript; needs the npm registry",
  python: "the same with a page as custom element, and a backend in Python; needs python3 and a registry for pip",
  api: "a backend without a page",
  go: "a page as a custom element, and a backend in Go without any package; needs go",
} as const;

export type Template = keyof typeof templates;

/** The folders with the files of a template. */
function partsOf(template: Template): readonly string[] {
  if (template === "python") return ["tasks", template];
  if (template === "go") return ["web-component", template];
  return template === "typescript" ? ["base", "tasks", template] : ["base", "javascript", template];
}

/** Copies a template into a new folder, and replaces each `__KEY__` in its files by the value. */
export async function copyTemplate(
  template: Template,
  target: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const part of partsOf(template)) await cp(join(folder, part), target, { recursive: true });
  // npm leaves files with such names out of packages.
  for (const name of ["gitignore", "dockerignore"]) {
    if (existsSync(join(target, name))) await rename(join(target, name), join(target, `.${name}`));
  }
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, "utf8");
    const filled = text.replace(/__([A-Z]+)__/g, (mark, key: string) => values[key] ?? mark);
    if (filled !== text) await writeFile(file, filled);
  }
}
