import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { ensureGoProgram, type GoProgram } from "./go-program.ts";
import { type PrivateService, startPrivateService } from "./private-service.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";
import { testedVersions } from "./versions.ts";

/** OpenFGA. The driver needs 1.10 or newer, where the server can ignore repeated writes. */
export const openFgaProgram: GoProgram = {
  name: "openfga",
  version: `v${testedVersions.openfga}`,
  source: { package: "github.com/openfga/openfga/cmd/openfga" },
};

export interface OpenFgaServer {
  /** `http://127.0.0.1:43211` */
  readonly url: string;
  /** The preshared key that the server requires, or undefined. */
  readonly token: string | undefined;
  /** Ends this use. The server stops with its last user. */
  stop(): Promise<void>;
}

export interface PrivateOpenFgaOptions {
  /** Default: requires a random key. */
  readonly authentication?: "preshared" | "none";
  /** `sqlite` keeps stores and tuples after a restart. Default `memory`. */
  readonly datastore?: "memory" | "sqlite";
  /** Further settings, for example `OPENFGA_CHECK_QUERY_CACHE_ENABLED`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A server that a test may stop, kill, freeze and restart. It keeps its address. */
export interface PrivateOpenFga extends Omit<PrivateService, "settings"> {
  readonly url: string;
  readonly token: string | undefined;
}

/**
 * Returns a shared in-memory OpenFGA on free ports of 127.0.0.1, or the reason why it is unavailable. Each user creates a
 * separate store.
 */
export async function ensureOpenFga(options: { keep?: boolean } = {}): Promise<OpenFgaServer | { unavailable: string }> {
  const program = await ensureGoProgram(openFgaProgram);
  if ("unavailable" in program) return program;
  try {
    const service = openFgaService(join(servicesFolder, "openfga"), program.path, {});
    const use = await useService(service, { keep: options.keep ?? false });
    return { ...addressOf(use.settings), stop: use.stop };
  } catch (error) {
    return notStarted(error);
  }
}

/** Starts a server in `folder` for the caller alone. The caller stops it. */
export async function startPrivateOpenFga(
  folder: string,
  options: PrivateOpenFgaOptions = {},
): Promise<PrivateOpenFga | { unavailable: string }> {
  const program = await ensureGoProgram(openFgaProgram);
  if ("unavailable" in program) return program;
  try {
    const ports = { http: await freePort(), grpc: await freePort() };
    const { settings, ...service } = await startPrivateService(openFgaService(folder, program.path, options, ports));
    return { ...service, ...addressOf(settings) };
  } catch (error) {
    return notStarted(error);
  }
}

export async function downOpenFga(): Promise<boolean> {
  return await downService(openFgaService(join(servicesFolder, "openfga"), "openfga", {}));
}

function openFgaService(
  folder: string,
  program: string,
  { authentication = "preshared", datastore = "memory", environment = {} }: PrivateOpenFgaOptions,
  fixedPorts?: { readonly http: number; readonly grpc: number },
): ServiceDefinition {
  const key = authentication === "none" ? undefined : randomBytes(24).toString("base64url");
  const stored = {
    OPENFGA_DATASTORE_ENGINE: datastore,
    ...(datastore === "sqlite" ? { OPENFGA_DATASTORE_URI: `file:${join(folder, "openfga.db")}` } : {}),
  };
  return {
    name: "openfga",
    folder,
    startTimeoutMs: 120_000,
    prepare: async () => {
      const ports = fixedPorts ?? { http: await freePort(), grpc: await freePort() };
      mkdirSync(folder, { recursive: true });
      if (datastore === "sqlite" && !existsSync(join(folder, "openfga.db"))) migrate(program, stored);
      const url = `http://127.0.0.1:${ports.http}`;
      return {
        command: [program, "run"],
        environment: { ...environmentOf(ports, key), ...stored, ...environment },
        settings: { url, ...(key === undefined ? {} : { token: key }) },
      };
    },
    isReady: async ({ url }) => {
      const response = await fetch(`${url}/healthz`).catch(() => undefined);
      await response?.body?.cancel();
      return response?.ok ?? false;
    },
  };
}

/** Returns the settings as environment variables, not flags: every user of the machine can read a key in the arguments. */
function environmentOf(
  ports: { readonly http: number; readonly grpc: number },
  key: string | undefined,
): Record<string, string> {
  return {
    OPENFGA_HTTP_ADDR: `127.0.0.1:${ports.http}`,
    OPENFGA_GRPC_ADDR: `127.0.0.1:${ports.grpc}`,
    OPENFGA_PLAYGROUND_ENABLED: "false",
    // The metrics server would listen on every address.
    OPENFGA_METRICS_ENABLED: "false",
    OPENFGA_LOG_LEVEL: "warn",
    ...(key === undefined ? {} : { OPENFGA_AUTHN_METHOD: "preshared", OPENFGA_AUTHN_PRESHARED_KEYS: key }),
  };
}

function migrate(program: string, environment: Record<string, string>): void {
  const result = spawnSync(program, ["migrate"], {
    env: { ...process.env, ...environment },
    encoding: "utf8",
    timeout: 60_000,
  });
  if (result.status !== 0) throw new Error(`openfga migrate failed: ${result.stderr || result.error?.message}`);
}

function addressOf(settings: Readonly<Record<string, string>>): { url: string; token: string | undefined } {
  return { url: settings["url"] ?? "", token: settings["token"] };
}

function notStarted(error: unknown): { unavailable: string } {
  return { unavailable: `openfga did not start: ${error instanceof Error ? error.message : String(error)}` };
}
