import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Makes a program of a Debian package present, installing the package when root on a Debian machine. Answers why not
 * otherwise, in words for a test's summary.
 */
export function ensureDebianProgram(program: string, packageName: string): { path: string } | { unavailable: string } {
  const present = find(program);
  if (present) return { path: present };
  if (process.getuid?.() !== 0) return { unavailable: `no ${program} and not root, so ${packageName} cannot be installed` };
  if (!existsSync("/etc/debian_version")) return { unavailable: `no ${program}, and this is not a Debian machine` };
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // A package that starts its own service at installation would take the default socket or port.
  const install = ["install", "--yes", "--no-install-recommends", packageName];
  for (const args of [["update", "--quiet"], install]) {
    const result = spawnSync("apt-get", args, { env: { ...environment, RUNLEVEL: "1" }, encoding: "utf8", timeout: 240_000 });
    if (result.status !== 0)
      return { unavailable: `apt-get ${args[0]} failed: ${result.stderr?.trim() || result.error?.message}` };
  }
  const installed = find(program);
  return installed ? { path: installed } : { unavailable: `${packageName} is installed and brought no ${program}` };
}

function find(program: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin"];
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path));
}
