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
  const failure = install(packageName);
  if (failure) return { unavailable: failure };
  const installed = find(program);
  return installed ? { path: installed } : { unavailable: `${packageName} is installed and brought no ${program}` };
}

function find(program: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin"];
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path));
}

/**
 * Test files run side by side and may each want a package: `flock` lets one of them at a time speak to apt, whose lock on
 * the package lists makes a second `apt-get update` fail at once, and DPkg::Lock::Timeout waits for anybody else's apt.
 */
function install(packageName: string): string | undefined {
  const apt = "apt-get --quiet -o DPkg::Lock::Timeout=300";
  const packages = `${apt} install --yes --no-install-recommends ${packageName}`;
  // The lists of a machine that installed something lately will do, and updating takes longer than most packages.
  const command = `${packages} || { ${apt} update && ${packages}; }`;
  const result = spawnSync("flock", ["--timeout", "600", "/run/lock/appserver-apt", "sh", "-c", command], {
    // At its runlevel 1 a package does not start its own service, which would take the default socket or port.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    encoding: "utf8",
    timeout: 900_000,
  });
  if (result.status === 0) return undefined;
  return `apt-get install ${packageName} failed: ${result.stderr?.trim() || result.error?.message || `status ${result.status}`}`;
}
