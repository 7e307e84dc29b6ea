import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string>>;

/**
 * Runs `work` with variables with which Docker and Podman send a password to one registry. The logins of the user on this machine stay as
 * they are, and so does the engine in use.
 */
export async function withDockerLogin<T>(
  host: string,
  token: string,
  work: (environment: Environment) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "appctl-docker-"));
  // The program that runs is interrupted as well, and fails. The password does not stay.
  const interrupted = (): void => {};
  process.once("SIGINT", interrupted);
  try {
    const own = process.env["DOCKER_CONFIG"] ?? join(homedir(), ".docker");
    const auths = { [host]: { auth: Buffer.from(`appctl:${token}`).toString("base64") } };
    const config = join(folder, "config.json");
    await writeFile(config, JSON.stringify({ ...(await contextOf(own)), auths }), { mode: 0o600 });
    // The addresses of engines, by the names of contexts.
    if (existsSync(join(own, "contexts"))) await symlink(join(own, "contexts"), join(folder, "contexts"));
    return await work({ DOCKER_CONFIG: folder, REGISTRY_AUTH_FILE: config });
  } finally {
    process.off("SIGINT", interrupted);
    await rm(folder, { recursive: true, force: true });
  }
}

async function contextOf(folder: string): Promise<{ readonly currentContext?: unknown }> {
  try {
    const { currentContext } = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as { currentContext?: unknown };
    return currentContext === undefined ? {} : { currentContext };
  } catch {
    // Without a configuration that Docker can read, there is no context.
    return {};
  }
}
