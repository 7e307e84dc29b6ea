import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { createPlatformClient, type PlatformClient, registerApp, type SignedManifest } from "@appserver/sdk";
import { embeddedConnection, onDatabase } from "./platform-database.ts";
import { askGraphql, type GraphqlAnswer, type PlatformUnderTest, type TestUser } from "./platform-under-test.ts";
import { platformVariant } from "./platform-variant.ts";
import { removeDataFolder } from "./remove-data-folder.ts";
import { untilExamplesServed } from "./until-examples-served.ts";

const root = resolve(import.meta.dirname, "../..");
/** Includes the time to build frontends, or images if the engine has none. */
const startTimeoutMs = 240_000;
const stopTimeoutMs = 60_000;

export interface PlatformOptions {
  /** Arguments of `appserver dev`. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs `appserver dev` as a child process on free ports with its data in a temporary folder. */
export class RunningPlatform implements PlatformUnderTest {
  readonly variant = "embedded";
  readonly sessionCookieName = "identity_session";
  readonly administrator = {};
  readonly registration = {};
  readonly httpUrl: string;
  readonly grpcUrl: string;
  /** Where its data is. */
  readonly dataDir: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  #output = "";

  private constructor(child: ChildProcess, folder: string, httpPort: number, grpcPort: number) {
    this.#child = child;
    this.#folder = folder;
    this.dataDir = join(folder, "data");
    this.httpUrl = `http://127.0.0.1:${httpPort}`;
    this.grpcUrl = `http://127.0.0.1:${grpcPort}`;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
  }

  /** Resolves when the sample apps run. Rejects with the platform's output if it ends before that. */
  static async start(options: PlatformOptions = {}): Promise<RunningPlatform> {
    // Otherwise the test would be reported as a test of production.
    if (platformVariant === "production") throw new Error("this is a run on production: use startPlatform");
    const folder = await mkdtemp(join(tmpdir(), "appserver-platform-"));
    // If the tests run as root, PostgreSQL runs under another account, which must reach the folder.
    await chmod(folder, 0o755);
    const [httpPort, grpcPort] = [await freePort(), await freePort()];
    const child = spawn(process.execPath, [join(root, "bin/appserver.mjs"), "dev", ...(options.flags ?? [])], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      // A separate process group: if the platform does not stop, the whole group can be killed.
      detached: true,
      env: {
        ...process.env,
        APPSERVER_DATA_DIR: join(folder, "data"),
        APPSERVER_HTTP_PORT: String(httpPort),
        APPSERVER_GRPC_PORT: String(grpcPort),
        ...options.environment,
      },
    });
    const platform = new RunningPlatform(child, folder, httpPort, grpcPort);
    await platform.#ready();
    if (!options.flags?.includes("--no-examples")) await untilExamplesServed(platform.httpUrl);
    return platform;
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    while (!this.#output.includes("Ctrl-C stops everything")) {
      if (!this.#isRunning || Date.now() > deadline) {
        const printed = this.#output;
        await this.stop();
        throw new Error(`the platform did not come up:\n${printed}`);
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** `Cookie` header of a fresh session. */
  async login(user: string): Promise<string> {
    const response = await fetch(`${this.httpUrl}/dev/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user }),
    });
    const cookie = response.headers.get("set-cookie")?.split(";")[0];
    if (!response.ok || cookie === undefined) throw new Error(`login of ${user} returned ${response.status}`);
    return cookie;
  }

  userId(user: TestUser): string {
    return user;
  }

  client(): PlatformClient {
    return createPlatformClient({ grpcUrl: this.grpcUrl });
  }

  register(app: SignedManifest): ReturnType<typeof registerApp> {
    return registerApp(this.client(), app);
  }

  /** Returns the whole response to a query. */
  graphql(query: string, variables: object = {}): Promise<GraphqlAnswer> {
    return askGraphql(this, query, variables);
  }

  async onDatabase<T>(work: (sql: SqlExecutor) => Promise<T>): Promise<T> {
    return onDatabase(await embeddedConnection(this.dataDir), work);
  }

  /** The server's log so far. */
  log(): Promise<string> {
    return readFile(join(this.#folder, "data/server.log"), "utf8");
  }

  /** Sends SIGINT, like Ctrl-C. Resolves with the exit code, or with null if it did not stop and was killed. Keeps the data. */
  async interrupt(): Promise<number | null> {
    if (this.#isRunning) {
      const exited = once(this.#child, "exit");
      this.#child.kill("SIGINT");
      const patience = new AbortController();
      const late = sleep(stopTimeoutMs, "late", { signal: patience.signal }).catch(() => "in time");
      if ((await Promise.race([exited, late])) === "late") process.kill(-(this.#child.pid ?? 0), "SIGKILL");
      await exited;
      patience.abort();
    }
    return this.#child.exitCode;
  }

  /** Calls {@link interrupt} and removes the data. */
  async stop(): Promise<void> {
    await this.interrupt();
    await removeDataFolder(join(this.#folder, "data"));
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
