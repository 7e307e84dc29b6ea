import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgres } from "@appserver/database-postgres";
import { DevIdentity, devUsers } from "@appserver/identity-dev";
import { type Clock, Lifecycle, type Logger, SystemClock } from "@appserver/kernel";
import pino from "pino";
import type { Platform } from "../compose.ts";
import { appNetworkAddress, closeContainers, makeImages, openContainers } from "../compose-containers.ts";
import { FrontDoor } from "../compose-front-door.ts";
import type { DevConfig } from "../config/dev-config.ts";
import { Origins } from "../listeners/http/index.ts";
import { type DevSecrets, openDataFolder } from "./data-folder.ts";
import { devOrchestration } from "./dev-orchestration.ts";
import { devTuples } from "./dev-tuples.ts";

/** How long the sample apps may take to run before the table is printed as things are. */
const settleTimeoutMs = 90_000;

export interface RunningPlatform {
  readonly platform: Platform;
  /** Stops everything, apps included. */
  stop(): Promise<void>;
}

/**
 * `appserver dev`: the whole platform in this process on embedded drivers, with the sample apps (design/architecture).
 *
 * The front door opens and the database starts before most of the code is loaded: loading it is half of a start.
 */
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

async function startPlatform(
  lifecycle: Lifecycle,
  config: DevConfig,
  secrets: DevSecrets,
  logger: Logger,
  onProgress: (what: string) => void,
): Promise<Platform> {
  const clock = new SystemClock();
  const identity = new DevIdentity({ environment: "dev", secret: Buffer.from(secrets.sessionSecret, "hex"), clock });
  const frontDoor = await lifecycle.use(openFrontDoor(config, identity, clock, logger));
  onProgress("database");
  const postgres = new EmbeddedPostgres({ folder: join(config.dataDir, "postgres"), clock, logger });
  const postgresStarts = Promise.resolve(postgres.start());
  // Seen by `use` below, when the code that needs a database is there.
  postgresStarts.catch(() => {});
  const { composeEmbedded } = await import("../compose.ts");
  await lifecycle.use({ name: postgres.name, start: () => postgresStarts, stop: () => postgres.stop() });

  const orchestration = devOrchestration(secrets.instance, config.containers);
  const containers = await openContainers(config);
  await lifecycle.use({
    name: "containers",
    start: () => containers.ping(),
    stop: () => closeContainers(containers, orchestration),
  });
  return await composeEmbedded(lifecycle, {
    instance: secrets.instance,
    frontDoor,
    postgres,
    identity,
    grpcPort: config.grpcPort,
    macKey: Buffer.from(secrets.macKey, "hex"),
    containers,
    tuples: devTuples,
    clock,
    logger,
    onProgress,
    orchestration,
    appNetworkAddress: await appNetworkAddress(containers, orchestration.network),
  });
}

function openFrontDoor(config: DevConfig, identity: DevIdentity, clock: Clock, logger: Logger): FrontDoor {
  return new FrontDoor({
    host: "127.0.0.1",
    port: config.httpPort,
    allowedHosts: ["127.0.0.1", "localhost", "[::1]"],
    origins: new Origins([]),
    logger,
    clock,
    devLogin: {
      loginPage: () => identity.loginPage(),
      login: (user) => ({ token: identity.login(user).token, cookie: identity.sessionCookieName }),
    },
  });
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
  print(summary({ httpUrl, grpcUrl, apps, users: devUsers, logFile }));
}

/** Everything goes to the file; errors also to the terminal. */
function openLog(config: DevConfig, file: string): Logger {
  const streams = pino.multistream([
    { level: config.logLevel, stream: createWriteStream(file, { flags: "a" }) },
    { level: "error", stream: process.stderr },
  ]);
  return pino({ level: config.logLevel, serializers: { err: describeError } }, streams);
}

/** What tells of an error, and no more: drivers hang whole connections on theirs. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const { code, reason } = error as { readonly code?: unknown; readonly reason?: unknown };
  return { name, message, stack, code, reason, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
