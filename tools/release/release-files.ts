/** Returns the contents of a file of the project. */
export type ReadFile = (path: string) => string;

export interface Release {
  /** The version of the files now. */
  readonly from: string;
  readonly to: string;
  /** `2026-11-26` */
  readonly date: string;
  /** Paths of the project's files. */
  readonly files: readonly string[];
}

type Json = Record<string, unknown>;

/**
 * Returns the new contents of each file that a release changes: versions of packages and of their dependencies on each other, the
 * version of the platform, of the Python SDK and of the chart, and the changelog. Throws if the changelog says nothing about the release.
 */
export function releaseFiles({ from, to, date, files }: Release, read: ReadFile): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  const packages = files.filter((path) => /(?:^|\/)package\.json$/.test(path) && !path.includes("templates/"));
  for (const path of packages) changed.set(path, formatted(withVersion(JSON.parse(read(path)) as Json, from, to)));
  changed.set("package-lock.json", formatted(lockWith(JSON.parse(read("package-lock.json")) as Json, from, to)));
  changed.set("apps/server/src/version.ts", replaceOnce(read("apps/server/src/version.ts"), `"${from}"`, `"${to}"`));
  const project = "sdk/python/pyproject.toml";
  changed.set(project, replaceOnce(read(project), `version = "${from}"`, `version = "${to}"`));
  const chart = "deploy/helm/appserver/Chart.yaml";
  const ofChart = replaceOnce(read(chart), `\nversion: ${from}\n`, `\nversion: ${to}\n`);
  changed.set(chart, replaceOnce(ofChart, `\nappVersion: ${from}\n`, `\nappVersion: ${to}\n`));
  changed.set("CHANGELOG.md", changelogOf(read("CHANGELOG.md"), to, date));
  return changed;
}

function withVersion(json: Json, from: string, to: string): Json {
  const result: Json = { ...json, ...(json["version"] === from && { version: to }) };
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]) {
    const listed = json[kind] as Readonly<Record<string, string>> | undefined;
    if (!listed) continue;
    const entries = Object.entries(listed).map(([name, range]) => [name, name.startsWith("@appserver/") ? to : range]);
    result[kind] = Object.fromEntries(entries);
  }
  return result;
}

function lockWith(lock: Json, from: string, to: string): Json {
  const packages = Object.entries(lock["packages"] as Readonly<Record<string, Json>>).map(([path, each]) => [
    path,
    path.includes("node_modules/") ? each : withVersion(each, from, to),
  ]);
  return { ...withVersion(lock, from, to), packages: Object.fromEntries(packages) };
}

function replaceOnce(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`${from} must stand in the file once`);
  return text.replace(from, to);
}

const unreleased = "## [Unreleased]\n";

/** What is unreleased becomes the release. */
function changelogOf(text: string, version: string, date: string): string {
  const start = text.indexOf(unreleased);
  if (start < 0) throw new Error("CHANGELOG.md has no section [Unreleased]");
  const rest = text.slice(start + unreleased.length);
  const end = rest.indexOf("\n## [");
  const section = end < 0 ? rest : rest.slice(0, end + 1);
  const entries = section.replace(/^\s*To be \S+\n/, "").trim();
  if (!/^- /m.test(entries)) throw new Error("CHANGELOG.md has nothing under [Unreleased]");
  const older = rest.slice(section.length);
  return `${text.slice(0, start)}${unreleased}\n## [${version}] - ${date}\n\n${entries}\n${older === "" ? "" : `\n${older}`}`;
}

function formatted(json: Json): string {
  return `${JSON.stringify(json, undefined, 2)}\n`;
}
