import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { assetTypeOf, isAssetName } from "@appserver/contracts/assets";

/** Which files of an app's folder are its assets: `web_app.assets` of `app.yaml`. */
export interface AssetFiles {
  /** Base folder of the names, relative to the app's folder. */
  readonly root: string;
  /** Undefined: all files below the root. */
  readonly names: readonly string[] | undefined;
  /** Patterns of files below the root that are left out. */
  readonly exclude: readonly string[];
}

/** The names of assets, and what was left out of a folder. */
export interface FoundFiles {
  readonly names: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Finds the files of a folder that are assets. Files that no page can load are left out with a warning: those without a known type, with
 * a name that no asset can have, and hidden ones.
 *
 * @param root - An absolute path. The promise rejects if it cannot be read.
 */
export async function findFiles(root: string, exclude: readonly string[]): Promise<FoundFiles> {
  const patterns = exclude.map(patternOf);
  const names: string[] = [];
  const reasons = new Map<string, string[]>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const name = join(entry.parentPath, entry.name)
      .slice(root.length + 1)
      .split(sep)
      .join("/");
    if (patterns.some((pattern) => pattern.test(name))) continue;
    const reason = reasonOf(name, entry.isFile());
    if (reason === undefined) names.push(name);
    else reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  }
  const warnings = [...reasons].map(
    ([reason, left]) => `${listed(left.sort())} ${left.length === 1 ? "is" : "are"} left out: ${reason}`,
  );
  return { names: names.sort(), warnings };
}

/** Returns why a file is no asset. */
function reasonOf(name: string, isFile: boolean): string | undefined {
  if (name.split("/").some((segment) => segment.startsWith("."))) return "hidden files are no assets";
  if (!isFile) return "only regular files are assets";
  if (assetTypeOf(name) === undefined) return "no asset has such a type (docs/interface/manifest.md#assets)";
  return isAssetName(name) ? undefined : "no asset has such a name";
}

const maxListed = 5;

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  return names.slice(0, maxListed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/**
 * Returns the expression of a pattern: `*` and `?` stay within a folder, `**` does not. A pattern without a slash matches names in every
 * folder, and one that matches a folder matches all below it.
 */
export function patternOf(pattern: string): RegExp {
  const plain = pattern.replace(/^\.?\/+|\/+$/g, "");
  const source = plain
    .split("/")
    .map((segment) =>
      segment === "**"
        ? ".*"
        : segment
            .replace(/[\\^$.|+()[\]{}]/g, "\\$&")
            .replaceAll(/\*+/g, "[^/]*")
            .replaceAll("?", "[^/]"),
    )
    .join("/")
    .replaceAll(".*/", "(?:.*/)?")
    .replaceAll("/.*", "/.*");
  return new RegExp(`^${plain.includes("/") ? "" : "(?:.*/)?"}${source}(?:/.*)?$`);
}
