import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "../../tools/services/free-port.ts";
import { AppserverProcess } from "./appserver-process.ts";
import { EmbeddedPlatform } from "./embedded-platform.ts";
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
}

/** `appserver dev` that also runs the apps of `publishApp`: it takes their images from folders. */
const program = resolve(import.meta.dirname, "../../apps/server/test/folders-platform-process.ts");

/** Runs `appserver dev` as a child process on free ports with its data in a temporary folder. */
export class RunningPlatform extends EmbeddedPlatform {
  readonly #process: AppserverProcess;
  readonly #folder: string;

  private constructor(options: PlatformOptions, folder: string, httpPort: number, grpcPort: number) {
    const [dataDir, imagesDir] = [join(folder, "data"), join(folder, "images")];
    super({ httpUrl: `http://127.0.0.1:${httpPort}`, grpcUrl: `http://127.0.0.1:${grpcPort}`, dataDir, imagesDir });
    this.#folder = folder;
    this.#process = new AppserverProcess(["dev", ...(options.flags ?? [])], {
      ...(options.flags?.includes("docker") ? {} : { program }),
      environment: {
        ...process.env,
        APPSERVER_TEST_IMAGES: imagesDir,
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
        await platform.#ready(options.flags?.includes("--no-examples") !== true);
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

  /** What the process has printed so far. Its log is in a file. */
  get printed(): string {
    return this.#process.printed;
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
  override async stop(): Promise<void> {
    await this.interrupt();
    await removeDataFolder(this.dataDir);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
