import { join } from "node:path";
import { Lifecycle, type Logger, SystemClock } from "@appserver/kernel";
import { makeImages } from "../compose/containers.ts";
import { startPlatform } from "../compose/development.ts";
import type { Platform } from "../compose/embedded.ts";
import { folderOnDemand } from "../compose/site-folders.ts";
import type { DevConfig } from "../config/dev-config.ts";
import { DataFolderWatch } from "../data-folder/data-folder-watch.ts";
import { openLog } from "../log/open-log.ts";
import { openDevDataFolder } from "./dev-data-folder.ts";
import { exampleImage } from "./example-apps.ts";
import type { ExamplesOptions, ExamplesReport } from "./install-examples.ts";
import { obstacleOf } from "./python.ts";

/** Maximum wait for the sample apps to run. After it the table is printed with their current states. */
const settleTimeoutMs = 90_000;

export interface RunningPlatform {
  readonly platform: Platform;
  /** Stops all components and the apps. */
  stop(): Promise<void>;
}

/** What other programs change in the run of the sample apps. */
interface ExamplesRun {
  /** Default: {@link obstacleOf}. */
  readonly obstacle?: typeof obstacleOf;
}

interface DevRun extends Pick<Required<ExamplesRun>, "obstacle"> {
  readonly config: DevConfig;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly logFile: string;
  readonly print: (line: string) => void;
  readonly progress: (what: string) => void;
}

/**
 * Runs `appserver dev`: the whole platform in this process on embedded drivers, with the sample apps. Rejects with the first
 * failure, or with StartAbortedError if `signal` aborts first, after the started components have stopped.
 */
export async function runDev(
  config: DevConfig,
  print: (line: string) => void,
  signal: AbortSignal,
  { obstacle = obstacleOf }: ExamplesRun = {},
): Promise<RunningPlatform> {
  const startedAt = performance.now();
  const progress = (what: string): void =>
    print(`  ${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${what}`);
  const folder = await openDevDataFolder(config.dev.dataDir);
  const logFile = join(config.dev.dataDir, "server.log");
  const watch = new DataFolderWatch({
    folder,
    clock: new SystemClock(),
    onLost: (problem) => {
      // Below the level of the terminal, which gets the sentence instead.
      logger.warn({ reason: problem }, "dev: lost the data folder; dropping log lines until it is back");
      print(`appserver: ${problem}. Nothing works without it: put it back, or end the platform with Ctrl-C.`);
    },
    onFound: () => print(`appserver: the data folder ${folder.path} can be used again.`),
  });
  const logger = openLog({
    service: "appserver",
    level: config.telemetry.logLevel,
    // An error is often the first sign of a lost folder, so the terminal looks before each.
    output: { file: logFile, muted: { file: () => watch.reported, terminal: () => watch.look() } },
  });
  const lifecycle = new Lifecycle({
    onError: (component, error) => logger.error({ err: error, component }, "dev: a component did not stop cleanly"),
    onUnavailable: (component, error, retryMs) =>
      logger.warn({ err: error, component, retryMs }, "dev: a component cannot start yet; retrying"),
  });
  // Released last: until then, components that this process started may use the folder.
  await lifecycle.use({ name: "data folder", stop: () => folder.release() });
  await lifecycle.use(watch);
  return lifecycle.run(signal, async () => {
    const platform = await startPlatform(lifecycle, { config, folder, watch, logger, onProgress: progress });
    await showExamples({ config, lifecycle, logger, logFile, print, progress, obstacle }, platform);
    return { platform, stop: () => lifecycle.stop() };
  });
}

async function showExamples(run: DevRun, platform: Platform): Promise<void> {
  const { config, logFile, progress, print } = run;
  const building = config.dev.examples && config.console.enabled ? buildConsole(run) : undefined;
  const httpUrl = `http://127.0.0.1:${platform.http.address().port}`;
  const grpcUrl = `http://127.0.0.1:${platform.grpc.address().port}`;
  const report = config.dev.examples ? await installExamples(run, platform, { httpUrl, grpcUrl }) : { notes: [] };
  await building;
  const { summary } = await import("./summary.ts");
  const { listApps } = await import("./listed-apps.ts");
  // The start leaves about 60 MB of garbage, which V8 does not collect in an idle process. Takes 0.1 to 0.2 s.
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  // Without its table the platform has started, too.
  const listed = await listApps(httpUrl).catch(() => ({ apps: [], more: 0 }));
  progress("ready");
  print(
    `\n${summary({ httpUrl, grpcUrl, ...listed, ...report, users: platform.users, firstAdministrator: platform.firstAdministrator, logFile, hasConsole: config.console.enabled })}`,
  );
}

/** Builds the console if its sources have changed, so that the first page does not wait for it. A failure is for that page to show. */
async function buildConsole({ logger, progress }: DevRun): Promise<void> {
  try {
    await folderOnDemand("apps/console")();
    progress("console");
  } catch (error) {
    logger.error({ err: error }, "dev: could not build the console");
  }
}

async function installExamples(
  { config, lifecycle, logger, progress, obstacle }: DevRun,
  { containers }: Platform,
  urls: Pick<ExamplesOptions, "httpUrl" | "grpcUrl">,
): Promise<ExamplesReport> {
  progress("sample apps");
  // Loaded last, because only this component needs the SDK.
  const { ExampleInstaller } = await import("./install-examples.ts");
  const installer = new ExampleInstaller({
    ...urls,
    makeImages: () => makeImages(config),
    obstacle,
    imageDigest: async (appName) => (await containers.pull(exampleImage(appName), { signal: lifecycle.signal })).digest,
    clock: new SystemClock(),
    logger,
  });
  await lifecycle.use({ name: "sample apps", start: () => installer.start(), stop: () => installer.stop() });
  return installer.settled(settleTimeoutMs, lifecycle.signal);
}
