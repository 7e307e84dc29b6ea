// Every citation leads somewhere: pages of docs/interface and links in Markdown exist, with their anchors, and nothing cites a
// document that a clone of the repository does not hold.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { finish, root } from "./run-tool.ts";

const checked = /\.(?:ts|tsx|mjs|py|md|yaml|yml|proto|graphql|fga|sh)$/;
/** Sections are those of public standards. */
const standard = /RFC ?\d|W3C/;
const outside = [
  /specification'?s? §/i,
  /\bdesign\/(?:README|app-runtime|architecture|behaviour|console|contracts|libraries|performance|reliability|security|structure|style)\b/,
  /\b(?:behaviour|contracts|security|reliability|architecture|performance) "[A-Z]/,
];
const interfacePage = /docs\/interface\/[\w-]+\.md(?:#[\w-]+)?/g;
const markdownLink = /\]\(([^)\s]+)\)/g;
const fence = /^ *(?:```|~~~)/;

const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});
if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);
const files = [...new Set(listed.stdout.split("\0"))].filter((file) => checked.test(file) && existsSync(join(root, file)));
const anchorsOfPage = new Map<string, ReadonlySet<string>>();

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const known = anchorsOfPage.get(page);
  if (known) return known;
  const anchors = new Set<string>();
  let isCode = false;
  for (const line of readFileSync(join(root, page), "utf8").split("\n")) {
    if (fence.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#+ +(.+?) *$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  anchorsOfPage.set(page, anchors);
  return anchors;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/** Returns the problem of a citation of `target`, a path from the root with an optional anchor. */
function problemOf(target: string): string | undefined {
  const [page = "", anchor] = target.split("#", 2);
  if (!existsSync(join(root, page))) return `${page} does not exist`;
  if (anchor === undefined || !page.endsWith(".md")) return undefined;
  return anchorsOf(page).has(anchor) ? undefined : `${page} has no heading #${anchor}`;
}

function problemsOf(file: string): string[] {
  let isCode = false;
  let before = "";
  return readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (file.endsWith(".md") && fence.test(line)) isCode = !isCode;
      const found = [...line.matchAll(interfacePage)].map(([target]) => problemOf(target));
      if (file.endsWith(".md") && !isCode) found.push(...linksOf(file, line).map(problemOf));
      if (outside.some((citation) => citation.test(line)) || (line.includes("§") && !standard.test(before + line)))
        found.push("cites a document that is not in the repository; cite docs/interface/<page>.md#<anchor> or an ADR");
      before = line;
      return found.flatMap((problem) => (problem === undefined ? [] : [`${file}:${index + 1}: ${problem}`]));
    });
}

/** Targets of the links of a line of Markdown, from the root. Links to other hosts are left out. */
function linksOf(file: string, line: string): string[] {
  return [...line.matchAll(markdownLink)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    return [target.startsWith("#") ? file + target : normalize(join(dirname(file), target))];
  });
}

const self = "tools/checks/citations.ts";
const problems = files.filter((file) => file !== self).flatMap(problemsOf);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${files.length} files, ${problems.length} citations that lead nowhere\n`);
finish(problems.length === 0);
