import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureProgram } from "./debian-programs.ts";
import { freePort } from "./free-port.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";

export interface Registry {
  /** `127.0.0.1:43211`: the first part of an image reference. Engines use plain HTTP for 127.0.0.0/8. */
  readonly host: string;
  stop(): Promise<void>;
}

export interface RegistryOptions {
  /** Contains the images. Default `.appserver/services/registry`. */
  readonly folder?: string | undefined;
  readonly keep?: boolean;
}

/** Returns a container registry on a free port of 127.0.0.1 (Debian's docker-registry), or the reason why it is unavailable. */
export async function ensureRegistry(options: RegistryOptions = {}): Promise<Registry | { unavailable: string }> {
  const program = ensureProgram("registry");
  if ("unavailable" in program) return program;
  try {
    const use = await useService(registryService(options.folder, program.path), { keep: options.keep ?? false });
    return { host: use.settings["host"] ?? "", stop: use.stop };
  } catch (error) {
    return { unavailable: `docker-registry did not start: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export async function downRegistry(folder?: string): Promise<boolean> {
  return await downService(registryService(folder, "docker-registry"));
}

function registryService(folder = join(servicesFolder, "registry"), program: string): ServiceDefinition {
  return {
    name: "docker-registry",
    folder,
    startTimeoutMs: 60_000,
    prepare: async () => {
      const host = `127.0.0.1:${await freePort()}`;
      const configFile = join(folder, "config.yml");
      mkdirSync(join(folder, "data"), { recursive: true });
      writeFileSync(configFile, configuration(host, join(folder, "data")));
      return { command: [program, "serve", configFile], settings: { host } };
    },
    isReady: async ({ host }) => {
      const response = await fetch(`http://${host}/v2/`).catch(() => undefined);
      await response?.body?.cancel();
      return response?.ok ?? false;
    },
  };
}

function configuration(host: string, dataFolder: string): string {
  return JSON.stringify({
    version: "0.1",
    log: { level: "warn" },
    storage: { filesystem: { rootdirectory: dataFolder }, delete: { enabled: true } },
    http: { addr: host },
  });
}
