import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the words before a command that let it see these files in place of those of the machine: `/etc/hosts`, `/etc/passwd`. Needs root.
 * `folder` is for their copies.
 */
export function withOwnFiles(folder: string, files: Readonly<Record<string, string>>): readonly string[] {
  const mounts = Object.entries(files).map(([path, contents]) => {
    const copy = join(folder, path.slice(1).replaceAll("/", "-"));
    writeFileSync(copy, contents);
    return `mount --bind ${copy} ${path}`;
  });
  return ["unshare", "--mount", "sh", "-e", "-c", `${mounts.join("; ")}; exec "$@"`, "sh"];
}
