import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { EngineClient } from "@appserver/containers-docker";
import { ensureProgram } from "./debian-programs.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";

export interface DockerEngine {
  readonly socketPath: string;
  /** Ends this use. A private engine stops with its last user. An engine that was already running is not stopped. */
  stop(): Promise<void>;
}

export interface DockerEngineOptions {
  /** Holds the private engine's images and containers. Default `.appserver/services/docker`. */
  readonly folder?: string | undefined;
  /** Leaves the private engine running after this process, until `tools/services/down.ts`. */
  readonly keep?: boolean;
}

/**
 * Returns a Docker Engine for tests and images: the one at DOCKER_HOST or /var/run/docker.sock if it is reachable, else a
 * private `dockerd`, which needs root. If neither is possible, returns the reason.
 */
export async function ensureDockerEngine(options: DockerEngineOptions = {}): Promise<DockerEngine | { unavailable: string }> {
  for (const socketPath of [unixHost(process.env["DOCKER_HOST"]), "/var/run/docker.sock"]) {
    if (socketPath && (await answers(socketPath))) return { socketPath, stop: async () => {} };
  }
  if (process.getuid?.() !== 0) return { unavailable: "no Docker engine and not root" };
  const dockerd = ensureProgram("docker");
  if ("unavailable" in dockerd) return { unavailable: `no Docker engine: ${dockerd.unavailable}` };
  try {
    const use = await useService(engineService(options.folder, dockerd.path), { keep: options.keep ?? false });
    return { socketPath: use.settings["socketPath"] ?? "", stop: use.stop };
  } catch (error) {
    return {
      unavailable: `the private Docker engine did not start: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

export async function downDockerEngine(folder?: string): Promise<boolean> {
  return await downService(engineService(folder, "dockerd"));
}

function engineService(folder = join(servicesFolder, "docker"), dockerd: string): ServiceDefinition {
  // A Unix socket's path has at most 107 characters, and containerd appends 28. In a deep checkout it would be too long.
  const runFolder = `/run/appserver-docker-${createHash("sha256").update(folder).digest("hex").slice(0, 8)}`;
  const socketPath = join(runFolder, "docker.sock");
  return {
    name: "dockerd",
    folder,
    startTimeoutMs: 120_000,
    prepare: async () => {
      mkdirSync(runFolder, { recursive: true });
      // A killed engine leaves this file, and dockerd refuses to start while any living process has the pid in it.
      rmSync(join(runFolder, "docker.pid"), { force: true });
      return { command: [dockerd, ...engineFlags(folder, runFolder)], settings: { socketPath } };
    },
    isReady: () => answers(socketPath),
    // Mounts of the engine may stay busy for a moment after its process ended.
    cleanUp: () => {
      // A killed engine leaves its network namespace mounted, and a mount point cannot be removed.
      spawnSync("umount", [join(runFolder, "exec/netns/default")]);
      rmSync(runFolder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/**
 * Returns the flags with which a private engine runs in parallel with another engine. Tested with Docker 20.10 on Debian 12 as
 * root:
 * - iptables stays on (the default): without it containers have no outgoing route, and publishing uses only the userland proxy.
 *   The engine sets the policy of the host's FORWARD chain to DROP and does not reset it.
 * - `--bridge none`: the default bridge `docker0` belongs to the engine that started first. Named networks get separate
 *   bridges. A container without a named network then has no network, but apps always have one.
 * - The storage driver is chosen by the engine: overlay2 where the kernel has it, on ext4 and xfs, else vfs.
 * - cgroup version 1 and 2 both enforce memory, pids and cpu shares.
 * - Publishing on 127.0.0.1 uses `docker-proxy`, one process per port. It is in the same package.
 * - Registries on 127.0.0.0/8 are used without TLS, so a local registry needs no configuration.
 * - On SIGTERM the engine first stops its containers (10 s each, in parallel). After SIGKILL they run until the next start.
 */
function engineFlags(folder: string, runFolder: string): string[] {
  return [
    ["--host", `unix://${join(runFolder, "docker.sock")}`],
    ["--data-root", join(folder, "data")],
    ["--exec-root", join(runFolder, "exec")],
    ["--pidfile", join(runFolder, "docker.pid")],
    ["--bridge", "none"],
    ["--group", "root"],
    ["--shutdown-timeout", "10"],
  ].flat();
}

function unixHost(dockerHost: string | undefined): string | undefined {
  return dockerHost?.startsWith("unix://") ? dockerHost.slice("unix://".length) : undefined;
}

async function answers(socketPath: string): Promise<boolean> {
  if (!existsSync(socketPath)) return false;
  const engine = new EngineClient(socketPath);
  try {
    await engine.ping(2_000);
    return true;
  } catch {
    return false;
  } finally {
    await engine.close();
  }
}
