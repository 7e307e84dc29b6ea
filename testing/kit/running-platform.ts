import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { createPlatformClient, type PlatformClient, registerApp, type SignedManifest } from "@appserver/sdk";
import { freePort } from "../../tools/services/free-port.ts";
import { AppserverProcess } from "./appserver-process.ts";
import { embeddedConnection, onDatabase } from "./platform-database.ts";
import { askGraphql, type GraphqlAnswer, type PlatformUnderTest, type TestUser } from "./platform-under-test.ts";
import { platformVariant } from "./platform-variant.ts";
import { removeDataFolder } from "./remove-data-folder.ts";
import { untilExamplesServed } from "./until-examples-served.ts";

/** Includes the time to build frontends, or images if the engine has none. */
const startTimeoutMs = 240_000;
const stopTimeoutMs = 60_000;
const attempts = 3;
const portTaken = /^appserver: Port \d+ on \S+ is in use/m;

export interface PlatformOptions {
  /** Arguments of `appserver dev`. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs without the sample apps, and with the apps of `publishApp`. A production platform has both. */
  readonly ownApps?: boolean;
}

/** Takes the image of each app from a folder. */
const ownAppsProgram = resolve(import.meta.dirname, "../../apps/server/test/folders-platform-process.ts");

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
  /** Where it finds the code of the apps of `publishApp`: `{app name}/{stage}`. */
  readonly imagesDir: string;
  readonly #process: AppserverProcess;
  readonly #folder: string;

  private constructor(options: PlatformOptions, folder: string, httpPort: number, grpcPort: number) {
    this.#folder = folder;
    this.dataDir = join(folder, "data");
    this.httpUrl = `http://127.0.0.1:${httpPort}`;
    this.grpcUrl = `http://127.0.0.1:${grpcPort}`;
    this.imagesDir = join(folder, "images");
    this.#process = new AppserverProcess(options.ownApps ? [] : ["dev", ...(options.flags ?? [])], {
      ...(options.ownApps ? { program: ownAppsProgram } : {}),
      environment: {
        ...process.env,
        APPSERVER_TEST_IMAGES: this.imagesDir,
        APPSERVER_DATA_DIR: this.dataDir,
        APPSERVER_HTTP_PORT: String(httpPort),
        APPSERVER_GRPC_PORT: String(grpcPort),
        ...options.environment,
      },
      group: "own",
      startTimeoutMs,
      stopTimeoutMs,
    });
  }

  /** Resolves when the sample apps run. Rejects with the platform's output if it ends before that. */
  static async start(options: PlatformOptions = {}): Promise<RunningPlatform> {
    // Otherwise the test would be reported as a test of production.
    if (platformVariant === "production") throw new Error("this is a run on production: use startPlatform");
    const folder = await mkdtemp(join(tmpdir(), "appserver-platform-"));
    // If the tests run as root, PostgreSQL runs under another account, which must reach the folder.
    await chmod(folder, 0o755);
    for (let attempt = 1; ; attempt++) {
      const platform = new RunningPlatform(options, folder, await freePort(), await freePort());
      try {
        await platform.#ready(!options.ownApps && options.flags?.includes("--no-examples") !== true);
        return platform;
      } catch (error) {
        // Another process may have taken the port since it was found to be free.
        if (attempt < attempts && portTaken.test(platform.printed)) continue;
        await platform.stop();
        throw error;
      }
    }
  }

  async #ready(hasExamples: boolean): Promise<void> {
    this.#process.start();
    await this.#process.until(() => this.#process.printed.includes("Ctrl-C stops everything"));
    if (hasExamples) await untilExamplesServed(this.httpUrl);
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

  async sessionToken(user: TestUser): Promise<string> {
    const cookie = await this.login(user);
    return cookie.slice(cookie.indexOf("=") + 1);
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

  /** What the process has printed so far. Its log is in a file. */
  get printed(): string {
    return this.#process.printed;
  }

  /** The server's log so far. */
  log(): Promise<string> {
    return readFile(join(this.#folder, "data/server.log"), "utf8");
  }

  /** Sends SIGINT, like Ctrl-C. Resolves with the exit code, or with null if it did not stop and was killed. Keeps the data. */
  interrupt(): Promise<number | null> {
    return this.#process.stop("SIGINT");
  }

  /** Stops it and starts it again, on the same ports and data. Resolves when it is ready, and its sample apps perhaps are not. */
  async restart(): Promise<void> {
    await this.interrupt();
    await this.#ready(false);
  }

  /** Calls {@link interrupt} and removes the data. */
  async stop(): Promise<void> {
    await this.interrupt();
    await removeDataFolder(join(this.#folder, "data"));
    await rm(this.#folder, { recursive: true, force: true });
  }
}
