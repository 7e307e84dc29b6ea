import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AppserverProcess, isReady, launcher } from "./appserver-process.ts";
import { EmbeddedPlatform } from "./embedded-platform.ts";
import { platformVariant } from "./platform-variant.ts";
import { quietPort } from "./quiet-port.ts";
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
  /** The program to run instead of {@link testProgram}: `launcher` is what users start. */
  readonly program?: string;
  /** Where the folder of its data is created. Default: the folder for temporary files. */
  readonly parent?: string;
  /** The data of another platform. */
  readonly dataDir?: string;
}

/** `appserver dev` whose sample apps are the same on every machine. */
const testProgram = resolve(import.meta.dirname, "../../apps/server/test/test-platform-process.ts");

/** Runs `appserver dev` as a child process on free ports with its data in a temporary folder. */
export class RunningPlatform extends EmbeddedPlatform {
  readonly process: AppserverProcess;
  readonly #folder: string;

  private constructor(options: PlatformOptions, folder: string, httpPort: number, grpcPort: number) {
    const { flags = [], program = flags.includes("docker") ? launcher : testProgram } = options;
    const dataDir = options.dataDir ?? join(folder, "data");
    super({ httpUrl: `http://127.0.0.1:${httpPort}`, grpcUrl: `http://127.0.0.1:${grpcPort}`, dataDir });
    this.#folder = folder;
    this.process = new AppserverProcess(["dev", ...flags], {
      program,
      environment: {
        ...process.env,
        APPSERVER_DATA_DIR: dataDir,
        APPSERVER_HTTP_PORT: String(httpPort),
        APPSERVER_GRPC_PORT: String(grpcPort),
        ...options.environment,
      },
      group: "own",
      startTimeoutMs,
      stopTimeoutMs,
    });
  }

  /** Not started yet: `process.start()` starts it. It keeps its ports and data over all its starts. */
  static async create(options: PlatformOptions = {}): Promise<RunningPlatform> {
    // Otherwise the test would be reported as a test of production.
    if (platformVariant === "production") throw new Error("this is a run on production: use startPlatform");
    const folder = await mkdtemp(join(options.parent ?? tmpdir(), "appserver-platform-"));
    // If the tests run as root, PostgreSQL runs under another account, which must reach the folder.
    await chmod(folder, 0o755);
    return new RunningPlatform(options, folder, await quietPort(), await quietPort());
  }

  /** Resolves when the sample apps run. Rejects with the platform's output if it ends before that. */
  static async start(options: PlatformOptions = {}): Promise<RunningPlatform> {
    for (let attempt = 1; ; attempt++) {
      const platform = await RunningPlatform.create(options);
      try {
        platform.process.start();
        await platform.installed();
        if (!options.flags?.includes("--no-examples")) await untilExamplesServed(platform.httpUrl);
        return platform;
      } catch (error) {
        await platform.stop();
        // Another process may have taken the port since it was found to be free.
        if (attempt === attempts || !portTaken.test(platform.printed)) throw error;
      }
    }
  }

  /** Waits until it has printed that all is installed. Rejects with its output if it ends before that. */
  async installed(): Promise<void> {
    await this.process.until(() => this.printed.includes("Ctrl-C stops everything"));
  }

  /** Waits until /ready returns 200. Rejects with its output if it ends before that. */
  async ready(): Promise<void> {
    await this.process.until(() => isReady(this.httpUrl));
  }

  /** What the process has printed so far. Its log is in a file. */
  get printed(): string {
    return this.process.printed;
  }

  /** Sends SIGINT, like Ctrl-C. Resolves with the exit code, or with null if it did not stop and was killed. Keeps the data. */
  interrupt(): Promise<number | null> {
    return this.process.stop("SIGINT");
  }

  /** Stops it and starts it again, on the same ports and data. Resolves when it is ready, and its sample apps perhaps are not. */
  async restart(): Promise<void> {
    await this.interrupt();
    this.process.start();
    await this.installed();
  }

  /** Calls {@link interrupt} and removes the data. */
  override async stop(): Promise<void> {
    await this.interrupt();
    await removeDataFolder(this.dataDir);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
