import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureProgram } from "./debian-programs.ts";
import { freePort } from "./free-port.ts";
import { type PrivateService, startPrivateService } from "./private-service.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";
import { testedVersions } from "./versions.ts";

/** A PostgreSQL server from Debian's package, as in production. Not the embedded one. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** A superuser, because tests create databases and roles. */
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** PEM of the authority that signed the server's certificate, which names `localhost` only. */
  readonly rootCertificate: string;
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Contains pids and logs. Default `.appserver/services/postgres`. */
  readonly folder?: string;
  readonly keep?: boolean;
}

/** A server that a test may stop, kill, freeze and restart. It keeps its address and data. */
export interface PrivatePostgres extends Omit<PrivateService, "settings"> {
  readonly connection: Omit<PostgresServer, "stop">;
  /** Its files, of the user `nobody`. */
  readonly dataFolder: string;
  /** Replaces it by an empty server with the same address and superuser. */
  empty(): Promise<void>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

export interface PrivatePostgresOptions {
  /** Default `appserver`, which then also is the name of a database. */
  readonly superuser?: string;
}

const binaries = `/usr/lib/postgresql/${testedVersions.postgres}/bin`;
/** User id of `nobody`. PostgreSQL refuses to run as root. */
const nobody = 65_534;
const user = "appserver";

/** Starts PostgreSQL on a free port of 127.0.0.1, or returns the reason why it is unavailable. */
export async function ensurePostgres(
  options: PostgresServerOptions = {},
): Promise<PostgresServer | { readonly unavailable: string }> {
  const program = findProgram();
  if ("unavailable" in program) return program;
  try {
    const { settings, stop } = await useService(postgresService(options.folder), { keep: options.keep ?? false });
    return { ...connectionOf(settings), stop };
  } catch (error) {
    return notStarted(error);
  }
}

/** Starts a server in `folder` for the caller alone. The caller removes it. */
export async function startPrivatePostgres(
  folder: string,
  { superuser = user }: PrivatePostgresOptions = {},
): Promise<PrivatePostgres | { readonly unavailable: string }> {
  const program = findProgram();
  if ("unavailable" in program) return program;
  const home = homeOf(folder);
  const shared = postgresService(folder, superuser);
  let prepared: ReturnType<ServiceDefinition["prepare"]> | undefined;
  // Prepare only once, so that a restart uses the same port, password and data.
  const prepare = () => (prepared ??= shared.prepare());
  try {
    const { settings, ...service } = await startPrivateService({ ...shared, prepare, cleanUp: () => {} });
    const remove = async (): Promise<void> => {
      await service.stop();
      rmSync(home, { recursive: true, force: true, maxRetries: 20 });
    };
    const empty = async (): Promise<void> => {
      await service.stop();
      initialize(home, settings["password"] ?? "", superuser);
      await startAgain(service);
    };
    const connection = { ...connectionOf(settings), user: superuser, database: superuser };
    return { ...service, start: () => startAgain(service), connection, dataFolder: join(home, "data"), empty, remove };
  } catch (error) {
    return notStarted(error);
  }
}

/** Retries the start: child processes and shared memory of a killed server block the next start for a moment. */
async function startAgain(service: Pick<PrivateService, "start">): Promise<void> {
  for (const deadline = performance.now() + 20_000; ; await sleep(200)) {
    try {
      return await service.start();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

function findProgram(): { readonly path: string } | { readonly unavailable: string } {
  const path = `${binaries}/postgres`;
  return existsSync(path) ? { path } : ensureProgram("postgres");
}

function connectionOf(settings: Readonly<Record<string, string>>): Omit<PostgresServer, "stop"> {
  const { port = "", password = "", rootCertificate = "" } = settings;
  return { host: "127.0.0.1", port: Number(port), user, password, database: user, rootCertificate };
}

function notStarted(error: unknown): { unavailable: string } {
  return { unavailable: `PostgreSQL did not start: ${error instanceof Error ? error.message : String(error)}` };
}

export async function downPostgres(folder?: string): Promise<boolean> {
  return await downService(postgresService(folder));
}

function postgresService(folder = join(servicesFolder, "postgres"), superuser = user): ServiceDefinition {
  const home = homeOf(folder);
  return {
    name: "postgres",
    folder,
    startTimeoutMs: 120_000,
    prepare: async () => {
      const port = await freePort();
      const password = randomBytes(12).toString("hex");
      const rootCertificate = initialize(home, password, superuser);
      const flags = {
        port,
        listen_addresses: "127.0.0.1",
        unix_socket_directories: "",
        max_connections: 300,
        password_encryption: "scram-sha-256",
        ssl: "on",
        ssl_cert_file: join(home, "server.crt"),
        ssl_key_file: join(home, "server.key"),
        // The data need not survive a crash of the machine. All other durability settings keep their defaults.
        fsync: "off",
      };
      const command = [`${binaries}/postgres`, "-D", join(home, "data")];
      for (const [name, value] of Object.entries(flags)) command.push("-c", `${name}=${value}`);
      return { command: asOwner(command), settings: { port: String(port), password, rootCertificate } };
    },
    isReady: async ({ port = "" }) => spawnSync(`${binaries}/pg_isready`, ["-q", "-h", "127.0.0.1", "-p", port]).status === 0,
    cleanUp: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Returns a folder in the temporary folder: the server's account cannot enter a home directory with mode 0700. */
function homeOf(folder: string): string {
  return join(tmpdir(), `appserver-postgres-${createHash("sha256").update(folder).digest("hex").slice(0, 8)}`);
}

/** Creates a new cluster with a database that has the name of its superuser. Returns the PEM of its certificate authority. */
function initialize(home: string, password: string, superuser: string): string {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { mode: 0o700 });
  const passwordFile = join(home, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  giveAway(home, passwordFile);
  run([
    `${binaries}/initdb`,
    "-D",
    join(home, "data"),
    "-U",
    superuser,
    "--auth=scram-sha-256",
    `--pwfile=${passwordFile}`,
    "-N",
  ]);
  const single = [`${binaries}/postgres`, "--single", "-D", join(home, "data"), "postgres"];
  if (superuser !== "postgres") run(single, `create database ${superuser}\n`);
  makeCertificates(home);
  return readFileSync(join(home, "root.crt"), "utf8");
}

function makeCertificates(home: string): void {
  const openssl = (line: string): void => run(["openssl", ...line.split(" ")], undefined, home);
  openssl("req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=appserver-test-authority -keyout root.key -out root.crt");
  openssl("req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr");
  writeFileSync(join(home, "names.ext"), "subjectAltName=DNS:localhost\n");
  openssl("x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial -days 30 -extfile names.ext -out server.crt");
  chmodSync(join(home, "server.key"), 0o600);
}

function run(command: readonly string[], input?: string, cwd = "/"): void {
  const [program = "", ...args] = asOwner(command);
  const result = spawnSync(program, args, { cwd, encoding: "utf8", ...(input !== undefined && { input }) });
  if (result.status !== 0) throw new Error(`${command[0]} failed: ${result.stderr || result.error?.message}`);
}

function asOwner(command: readonly string[]): readonly string[] {
  return isRoot() ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", ...command] : command;
}

function giveAway(...paths: readonly string[]): void {
  if (isRoot()) for (const path of paths) chownSync(path, nobody, nobody);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
