import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Returns the path of a program from a Debian package. Installs the package if this process is root on a Debian machine.
 * Otherwise returns the reason, worded for a test's summary.
 */
export function ensureDebianProgram(program: string, packageName: string): { path: string } | { unavailable: string } {
  const present = findProgram(program);
  if (present) return { path: present };
  if (process.getuid?.() !== 0) return { unavailable: `no ${program} and not root, so ${packageName} cannot be installed` };
  if (!existsSync("/etc/debian_version")) return { unavailable: `no ${program}, and this is not a Debian machine` };
  const failure = install(packageName);
  if (failure) return { unavailable: failure };
  const installed = findProgram(program);
  return installed ? { path: installed } : { unavailable: `${packageName} is installed and brought no ${program}` };
}

/** Returns the path of a program in the PATH or in the folders of the system. Undefined if it is not there. */
export function findProgram(program: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin"];
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path));
}

/**
 * Test files run concurrently and may each need a package. `flock` allows one apt call at a time, because a second
 * `apt-get update` fails at once on the locked package lists. DPkg::Lock::Timeout waits for apt calls of other programs.
 */
function install(packageName: string): string | undefined {
  const apt = "apt-get --quiet -o DPkg::Lock::Timeout=300";
  const packages = `${apt} install --yes --no-install-recommends ${packageName}`;
  // Try the existing package lists first: updating them takes longer than installing most packages.
  const command = `${packages} || { ${apt} update && ${packages}; }`;
  const result = spawnSync("flock", ["--timeout", "600", "/run/lock/appserver-apt", "sh", "-c", command], {
    // At runlevel 1 a package does not start its service, which would occupy the default socket or port.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    encoding: "utf8",
    timeout: 900_000,
  });
  if (result.status === 0) return undefined;
  return `apt-get install ${packageName} failed: ${result.stderr?.trim() || result.error?.message || `status ${result.status}`}`;
}
