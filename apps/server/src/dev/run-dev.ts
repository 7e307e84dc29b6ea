import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { describeError, Lifecycle, type Logger } from "@appserver/kernel";
import pino from "pino";
import type { Platform } from "../compose.ts";
import { makeImages } from "../compose-containers.ts";
import { startPlatform } from "../compose-dev.ts";
import type { DevConfig } from "../config/dev-config.ts";
import { openDataFolder } from "./data-folder.ts";

/** How long the sample apps may take to run before the table is printed as things are. */
const settleTimeoutMs = 90_000;

export interface RunningPlatform {
  readonly platform: Platform;
  /** Stops everything, apps included. */
  stop(): Promise<void>;
}

/** `appserver dev`: the whole platform in this process on embedded drivers, with the sample apps (design/architecture). */
export async function runDev(config: DevConfig, print: (line: string) => void): Promise<RunningPlatform> {
  const startedAt = performance.now();
  const progress = (what: string): void =>
    print(`  ${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${what}`);
  const secrets = await openDataFolder(config.dataDir);
  const logFile = join(config.dataDir, "server.log");
  const logger = openLog(config, logFile);
  const lifecycle = new Lifecycle((component, error) =>
    logger.error({ err: error, component }, "a component did not stop cleanly"),
  );
  try {
    const platform = await startPlatform(lifecycle, config, secrets, logger, progress);
    await showExamples(config, platform, progress, (text) => print(`\n${text}`), logFile);
    return { platform, stop: () => lifecycle.stop() };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

async function showExamples(
  config: DevConfig,
  platform: Platform,
  progress: (what: string) => void,
  print: (line: string) => void,
  logFile: string,
): Promise<void> {
  const httpUrl = `http://127.0.0.1:${platform.http.address().port}`;
  const grpcUrl = `http://127.0.0.1:${platform.grpc.address().port}`;
  // Loaded when everything else runs: the SDK and what draws the table are of no use before.
  const { installExamples, prepareExamples, settledExamples } = await import("./install-examples.ts");
  const { summary } = await import("./summary.ts");
  if (config.examples) {
    progress("sample apps: keys, pages and images");
    await prepareExamples();
    await makeImages(config);
    progress("sample apps: register and install");
    await installExamples(grpcUrl);
  }
  const apps = config.examples ? await settledExamples(grpcUrl, settleTimeoutMs) : [];
  progress("ready");
  print(summary({ httpUrl, grpcUrl, apps, users: platform.users, logFile }));
}

/** Everything goes to the file; errors also to the terminal. */
function openLog(config: DevConfig, file: string): Logger {
  const streams = pino.multistream([
    { level: config.logLevel, stream: createWriteStream(file, { flags: "a" }) },
    { level: "error", stream: process.stderr },
  ]);
  return pino({ level: config.logLevel, serializers: { err: describeError } }, streams);
}
