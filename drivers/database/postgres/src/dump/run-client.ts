import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { rootCertificates } from "node:tls";
import { StartError } from "@appserver/kernel";
import { applicationName, type PostgresConnection } from "../postgres-connection.ts";

/** A run of pg_dump or pg_restore. */
export interface ClientRun {
  /** Path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  readonly connection: PostgresConnection;
}

type Environment = Readonly<Record<string, string>>;

const maxErrorCharacters = 1_000;

/** Yields what the program writes. Throws StartError with its messages if it fails. */
export async function* readFromClient(run: ClientRun): AsyncGenerator<Uint8Array> {
  await using folder = await CertificateFolder.create(run.connection);
  const child = spawn(run.program, run.args, { env: environmentOf(run, folder), stdio: ["ignore", "pipe", "pipe"] });
  const ended = endOf(run, child);
  ended.catch(() => {});
  try {
    yield* child.stdout;
    await ended;
  } finally {
    child.kill("SIGKILL");
  }
}

/** Writes into the program, until it has ended. Rejects with StartError and its messages if it fails, or with the error of `contents`. */
export async function writeToClient(run: ClientRun, contents: AsyncIterable<Uint8Array>): Promise<void> {
  await using folder = await CertificateFolder.create(run.connection);
  const child = spawn(run.program, run.args, { env: environmentOf(run, folder), stdio: ["pipe", "ignore", "pipe"] });
  const ended = endOf(run, child);
  ended.catch(() => {});
  try {
    await pipeline(Readable.from(contents, { objectMode: false }), child.stdin);
  } catch (error) {
    // A program that ends reads no more. Its own message says why.
    if (isOfPipe(error)) await ended;
    child.kill("SIGKILL");
    throw error;
  }
  await ended;
}

function isOfPipe(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE";
}

/** Rejects unless the program ends without an error. */
async function endOf(
  { program }: ClientRun,
  child: ChildProcessByStdio<Writable | null, Readable | null, Readable>,
): Promise<void> {
  let messages = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (messages.length <= maxErrorCharacters) messages += text;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code === 0) return;
  const said = messages
    .slice(0, maxErrorCharacters)
    .trim()
    .replaceAll(/\s*\n\s*/g, "; ");
  throw new StartError(`${basename(program)} failed: ${said === "" ? `it ended with ${code ?? signal}` : said}`);
}

/** The password is in no argument: all processes of the machine may read these. */
function environmentOf({ connection, program }: ClientRun, folder: CertificateFolder): Environment {
  const { host, port, user, password, database } = connection;
  return {
    // The programs of Debian's packages are scripts.
    PATH: `${program.slice(0, -basename(program).length)}:/usr/bin:/bin`,
    LC_ALL: "C",
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
    PGPASSFILE: "/dev/null",
    PGDATABASE: database,
    PGAPPNAME: applicationName,
    PGCONNECT_TIMEOUT: "10",
    ...folder.environment,
  };
}

/** Files for the options of TLS, which libpq reads from files only. */
class CertificateFolder implements AsyncDisposable {
  readonly environment: Environment;
  readonly #folder: string | undefined;

  private constructor(environment: Environment, folder?: string) {
    this.environment = environment;
    this.#folder = folder;
  }

  static async create({ ssl }: PostgresConnection): Promise<CertificateFolder> {
    if (!ssl) return new CertificateFolder({ PGSSLMODE: "disable" });
    const { ca, cert, key, rejectUnauthorized, checkServerIdentity } = ssl === true ? {} : ssl;
    const folder = await mkdtemp(join(tmpdir(), "appserver-tls-"));
    const files: Record<string, string> = {};
    const add = async (variable: string, value: unknown): Promise<void> => {
      const file = join(folder, variable.toLowerCase());
      await writeFile(file, String(value), { mode: 0o600 });
      files[variable] = file;
    };
    if (cert !== undefined) await add("PGSSLCERT", cert);
    if (key !== undefined) await add("PGSSLKEY", key);
    // With a file of authorities libpq verifies the server.
    if (rejectUnauthorized === false) files["PGSSLROOTCERT"] = join(folder, "none");
    else await add("PGSSLROOTCERT", ca ?? rootCertificates.join("\n"));
    const verified = checkServerIdentity ? "verify-ca" : "verify-full";
    return new CertificateFolder({ ...files, PGSSLMODE: rejectUnauthorized === false ? "require" : verified }, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}
