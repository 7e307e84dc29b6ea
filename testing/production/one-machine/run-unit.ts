import { type ChildProcess, spawn } from "node:child_process";
import type { OwnMachine } from "./own-machine.ts";

export interface RunningUnit {
  readonly process: ChildProcess;
  /** What it has written. */
  readonly log: () => string;
}

/**
 * Starts the program of a unit as systemd does: with its user, groups, capabilities, folders and variables. Its restrictions of system calls
 * and of the file system need a machine that systemd has started.
 */
export async function runUnit(machine: OwnMachine, name: string, more: NodeJS.ProcessEnv): Promise<RunningUnit> {
  const text = await machine.run(`cat /etc/systemd/system/${name}.service`);
  const values = (key: string): readonly string[] =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  const one = (key: string, otherwise = ""): string => values(key)[0] ?? otherwise;
  const user = one("User");
  const group = one("Group", user);
  for (const [key, parent, mode] of folders)
    for (const folder of values(key))
      await machine.run(`install -d -o ${user} -g ${group} -m ${one(`${key}Mode`, mode)} ${parent}/${folder}`);
  const files = await Promise.all(values("EnvironmentFile").map((file) => machine.run(`grep -v '^#' ${file}`)));
  const lines = [...values("Environment"), ...files.join("\n").split("\n")].filter((line) => line.includes("="));
  const variables = lines.map((line) => line.replace(/="(.*)"$/, "=$1"));
  const capabilities = (key: string): string => one(key).toLowerCase().replace("cap_", "+");
  const rights = [
    ...["--reuid", user, "--regid", group],
    ...(values("SupplementaryGroups").length > 0 ? ["--groups", one("SupplementaryGroups")] : ["--clear-groups"]),
    ...["--bounding-set", ["-all", capabilities("CapabilityBoundingSet")].filter(Boolean).join(",")],
    ...["--inh-caps", ["-all", capabilities("AmbientCapabilities")].filter(Boolean).join(",")],
    ...["--ambient-caps", ["-all", capabilities("AmbientCapabilities")].filter(Boolean).join(",")],
    ...(one("NoNewPrivileges") === "yes" ? ["--no-new-privs"] : []),
  ];
  const [program = "", ...rest] = machine.prefix;
  const command = `umask ${one("UMask", "0022")}; exec ${one("ExecStart")}`;
  const given = Object.entries(more).map(([key, value]) => `${key}=${value}`);
  const child = spawn(program, [...rest, "setpriv", ...rights, "env", "-i", ...variables, ...given, "sh", "-c", command], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => (log += chunk));
  const after = one("ExecStartPost");
  if (after !== "") await machine.run(after);
  return { process: child, log: () => log };
}

const folders = [
  ["StateDirectory", "/var/lib", "0755"],
  ["CacheDirectory", "/var/cache", "0755"],
  ["RuntimeDirectory", "/run", "0755"],
] as const;
