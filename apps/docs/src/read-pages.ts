import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A Markdown file of the repository as a page of the site. */
export interface Page {
  /** From the root of the repository: `docs/interface/proxy.md`. */
  readonly file: string;
  /** Below `/docs/`: `interface/proxy`. A README is the first page of its folder: `interface/`. */
  readonly path: string;
  /** Its first heading. */
  readonly title: string;
  /** Folder below `docs`, or undefined: `interface`. */
  readonly section: string | undefined;
  readonly markdown: string;
}

const firstFile = "docs/README.md";
const link = /\]\(([^()\s]+\.md)(?:#[^()\s]*)?\)/g;

/**
 * Reads the pages of the site: the first one, and each Markdown file of the repository to which a page links. They are in the order in
 * which they are linked to, page by page. Throws if the first page does not exist.
 */
export function readPages(root: string): readonly Page[] {
  if (!existsSync(join(root, firstFile)))
    throw new Error(`${firstFile} does not exist in ${root}; the documentation cannot be built without it`);
  const pages = new Map<string, Page>();
  const waiting = [firstFile];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (pages.has(file) || !existsSync(join(root, file))) continue;
    const page = pageOf(file, readFileSync(join(root, file), "utf8"));
    pages.set(file, page);
    waiting.push(...[...page.markdown.matchAll(link)].map(([, target = ""]) => resolveLink(page, target)));
  }
  const paths = [...pages.values()].map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw new Error(`two files would be the page /docs/${twice}`);
  return [...pages.values()];
}

/** Returns the file of the repository to which a relative link of a page leads. */
export function resolveLink({ file }: Pick<Page, "file">, target: string): string {
  return posix.normalize(posix.join(posix.dirname(file), target));
}

function pageOf(file: string, markdown: string): Page {
  const [, title = file] = /^# (.+)$/m.exec(markdown) ?? [];
  const [, section] = /^docs\/([^/]+)\//.exec(file) ?? [];
  return { file, path: pathOf(file), title: title.replaceAll("`", ""), section, markdown };
}

function pathOf(file: string): string {
  if (file === "README.md") return "readme";
  const path = file.replace(/^docs\//, "").replace(/\.md$/, "");
  return path.replace(/(^|\/)README$/, "$1").toLowerCase();
}
