// `node bin/run.mjs tools/services/found.ts`: prints which programs this machine has that tests use or install. Needs no packages.
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { cacheFolder } from "./cache-folder.ts";
import { findProgram } from "./debian-package.ts";
import { debianPrograms } from "./debian-programs.ts";

const found = (program: string): string => findProgram(program) ?? "absent";

const lines: (readonly [name: string, place: string])[] = [
  ["node", `${process.execPath} ${process.versions.node}`],
  ...["git", "npm", "go", "python3", "pip3", "gcc", "psql", "iptables", "ip"].map((name) => [name, found(name)] as const),
  ...Object.values(debianPrograms).map(({ program }) => [program, found(program)] as const),
  ...["go", "python"].map((kind) => [`built (${kind})`, contents(cacheFolder(kind))] as const),
  ["user", `${process.getuid?.() === 0 ? "root" : `id ${process.getuid?.()}`}, home ${homedir()}`],
];
for (const [name, place] of lines) process.stdout.write(`${name.padEnd(16)} ${place}\n`);

function contents(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !/\.lock$|^(building|installing)-/.test(name)) : [];
  return names.length > 0 ? names.join(", ") : "absent";
}
