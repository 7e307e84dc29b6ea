import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { ensureGoProgram, type GoProgram } from "./go-program.ts";
import { type PrivateService, startPrivateService } from "./private-service.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";
import { testedVersions } from "./versions.ts";

/**
 * The module of Kratos replaces dependencies, which `go install` refuses. The module in this repository repeats the
 * replacements. SQLite is compiled with cgo, so the build needs a C compiler.
 */
export const kratosProgram: GoProgram = {
  name: "kratos",
  version: `v${testedVersions.kratos}`,
  source: { folder: resolve(import.meta.dirname, "go-programs/kratos") },
  tags: ["sqlite"],
};

export interface KratosAddresses {
  /** `http://127.0.0.1:43211`: sessions and self-service. */
  readonly publicUrl: string;
  readonly adminUrl: string;
}

export interface KratosServer extends KratosAddresses {
  /** Ends this use. The server stops with its last user. */
  stop(): Promise<void>;
}

/** A server that a test may stop, kill, freeze and restart. It keeps its addresses and sessions. */
export interface PrivateKratos extends KratosAddresses, Omit<PrivateService, "settings"> {}

/** How a private server differs from the shared one. */
export interface KratosChoices {
  /**
   * `http://127.0.0.1:43210`: browsers reach the server at this platform, whose pages show its flows. Registration, recovery by code
   * and recovery codes are then on, and mails wait in the server's queue.
   */
  readonly platformUrl?: string;
}

interface Ports {
  readonly public: number;
  readonly admin: number;
}

/**
 * Returns a shared Ory Kratos on free ports of 127.0.0.1, or the reason why it is unavailable. It supports passwords and TOTP.
 * Identities have an `email` and a `name` of `first` and `last`. Sessions need the highest assurance level that their identity
 * has set up.
 */
export async function ensureKratos(options: { keep?: boolean } = {}): Promise<KratosServer | { unavailable: string }> {
  const program = await ensureGoProgram(kratosProgram);
  if ("unavailable" in program) return program;
  try {
    const service = kratosService(join(servicesFolder, "kratos"), program.path);
    const use = await useService(service, { keep: options.keep ?? false });
    return { ...addressesOf(use.settings), stop: use.stop };
  } catch (error) {
    return notStarted(error);
  }
}

/** Starts a server in `folder` for the caller alone. The caller stops it. */
export async function startPrivateKratos(
  folder: string,
  choices: KratosChoices = {},
): Promise<PrivateKratos | { unavailable: string }> {
  const program = await ensureGoProgram(kratosProgram);
  if ("unavailable" in program) return program;
  try {
    const { settings, ...service } = await startPrivateService(kratosService(folder, program.path, await freePorts(), choices));
    return { ...service, ...addressesOf(settings) };
  } catch (error) {
    return notStarted(error);
  }
}

export async function downKratos(): Promise<boolean> {
  return await downService(kratosService(join(servicesFolder, "kratos"), "kratos"));
}

function kratosService(folder: string, program: string, fixedPorts?: Ports, choices: KratosChoices = {}): ServiceDefinition {
  const configFile = join(folder, "kratos.json");
  // Without sync the operating system writes later. A killed server loses nothing, and starting takes a third of the time.
  const dsn = `sqlite://${join(folder, "kratos.sqlite")}?_fk=true&_sync=0&_journal=WAL`;
  return {
    name: "kratos",
    folder,
    startTimeoutMs: 120_000,
    prepare: async () => {
      const ports = fixedPorts ?? (await freePorts());
      mkdirSync(folder, { recursive: true });
      writeFileSync(configFile, JSON.stringify(configurationOf(folder, dsn, ports, choices)), { mode: 0o600 });
      await promisify(execFile)(program, ["migrate", "sql", "--yes", "--config", configFile, dsn], { timeout: 120_000 });
      return {
        // `--dev` allows addresses without TLS. `--sqa-opt-out` disables telemetry.
        command: [program, "serve", "--config", configFile, "--sqa-opt-out", "--dev"],
        settings: { publicUrl: urlOf(ports.public), adminUrl: urlOf(ports.admin) },
      };
    },
    isReady: async ({ publicUrl }) => {
      const response = await fetch(`${publicUrl}/health/ready`).catch(() => undefined);
      await response?.body?.cancel();
      return response?.ok ?? false;
    },
  };
}

function configurationOf(folder: string, dsn: string, ports: Ports, { platformUrl }: KratosChoices): object {
  const person = `base64://${Buffer.from(JSON.stringify(personSchema(platformUrl !== undefined))).toString("base64")}`;
  const browserUrl = platformUrl ?? urlOf(ports.public);
  return {
    version: kratosProgram.version,
    dsn,
    serve: {
      public: { base_url: `${browserUrl}/`, host: "127.0.0.1", port: ports.public },
      admin: { base_url: `${urlOf(ports.admin)}/`, host: "127.0.0.1", port: ports.admin },
    },
    identity: { default_schema_id: "person", schemas: [{ id: "person", url: person }] },
    selfservice: {
      default_browser_return_url: `${browserUrl}/`,
      methods: {
        // The check for leaked passwords would query a service on the internet.
        password: { enabled: true, config: { haveibeenpwned_enabled: false } },
        totp: { enabled: true, config: { issuer: "Appserver" } },
        ...(platformUrl !== undefined && { code: { enabled: true }, lookup_secret: { enabled: true } }),
      },
      ...(platformUrl !== undefined && { allowed_return_urls: [platformUrl], flows: flowsOf(platformUrl) }),
    },
    session: { lifespan: "24h", whoami: { required_aal: "highest_available" } },
    // The secrets stay the same at every start, so that sessions survive a restart.
    secrets: { cookie: [secretFor(folder, "cookie")], cipher: [secretFor(folder, "cipher")] },
    hashers: { algorithm: "bcrypt", bcrypt: { cost: 4 } },
    // Required but unused: no mail is sent.
    courier: { smtp: { connection_uri: "smtp://127.0.0.1:1/?disable_starttls=true" } },
    log: { level: "warning", format: "json" },
  };
}

/** The flows as `deploy/kratos/kratos.yaml` has them, with the pages of the platform. */
function flowsOf(platformUrl: string): object {
  const page = (path: string): { readonly ui_url: string } => ({ ui_url: `${platformUrl}/login${path}` });
  return {
    error: page("/error"),
    login: page(""),
    registration: { ...page("/registration"), enabled: true, after: { password: { hooks: [{ hook: "session" }] } } },
    recovery: { ...page("/recovery"), enabled: true, use: "code" },
    verification: { ...page("/verification"), enabled: true, use: "code" },
    settings: { ...page("/settings"), required_aal: "highest_available", privileged_session_max_age: "15m" },
  };
}

const personSchema = (sendsMail: boolean) => ({
  $id: "person",
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    traits: {
      type: "object",
      properties: {
        email: {
          type: "string",
          format: "email",
          title: "E-mail",
          "ory.sh/kratos": {
            credentials: { password: { identifier: true }, totp: { account_name: true } },
            ...(sendsMail && { recovery: { via: "email" }, verification: { via: "email" } }),
          },
        },
        name: {
          type: "object",
          properties: { first: { type: "string", title: "First name" }, last: { type: "string", title: "Last name" } },
        },
      },
      required: ["email"],
      additionalProperties: false,
    },
  },
});

function secretFor(folder: string, purpose: string): string {
  return createHash("sha256").update(`${purpose} of ${folder}`).digest("hex").slice(0, 32);
}

async function freePorts(): Promise<Ports> {
  return { public: await freePort(), admin: await freePort() };
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function addressesOf(settings: Readonly<Record<string, string>>): KratosAddresses {
  return { publicUrl: settings["publicUrl"] ?? "", adminUrl: settings["adminUrl"] ?? "" };
}

function notStarted(error: unknown): { unavailable: string } {
  return { unavailable: `kratos did not start: ${error instanceof Error ? error.message : String(error)}` };
}
