import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { App } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { backoffMs, type Clock, type Logger, messageOf } from "@appserver/kernel";
import {
  createPlatformClient,
  ensureAppKeys,
  loadManifest,
  ManifestError,
  type PlatformClient,
  registerApp,
} from "@appserver/sdk";
import { Code, ConnectError } from "@connectrpc/connect";
import { shareKeys } from "../../../../examples/share-keys.ts";
import { type ExampleApp, exampleApps, exampleVersions } from "./example-apps.ts";

export interface ExamplesOptions {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  /** Creates the images or folders that the container runtime runs the apps from. */
  readonly makeImages: () => Promise<void>;
  /** Returns the digest of what an app would run if it were deployed now. */
  readonly imageDigest: (appName: string) => Promise<string>;
  /** Returns why this machine cannot run an app, as the end of a sentence. Undefined if it can. */
  readonly obstacle: (app: ExampleApp) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the table does not say of the sample apps. */
export interface ExamplesReport {
  /** One sentence for each app that is left out or whose registration differs from its folder. */
  readonly notes: readonly string[];
}

const pauses = { firstMs: 500, maxMs: 30_000 };
const lookMs = 100;
const callTimeoutMs = 30_000;

interface Release {
  readonly version: string;
  readonly imageDigest: string | null;
  readonly isCurrent: boolean;
}

interface GraphqlResponse<Data> {
  readonly data: Data;
  readonly errors?: readonly { readonly message: string }[];
}

/**
 * Registers the sample apps over gRPC, as developers do, and manages them over GraphQL, as operators do. Installs those that were
 * never installed or failed. A changed manifest or frontend is another release, to which the platform switches by itself; a changed
 * backend is deployed again. Retries temporary failures with back-off while the platform runs. Does not retry content that the
 * platform refuses: the stored version stays.
 */
export class ExampleInstaller {
  readonly #options: ExamplesOptions;
  readonly #platform: PlatformClient;
  readonly #stopping = new AbortController();
  /** The apps that this machine can run. */
  #apps: readonly ExampleApp[] = exampleApps;
  readonly #leftOut: string[] = [];
  /** The reasons why registrations differ from their folders, by app. */
  readonly #refusals = new Map<string, string>();
  /** The steps to retry. */
  readonly #failures = new Map<string, string>();
  readonly #registered = new Set<string>();
  readonly #changed = new Set<string>();
  /** The versions that the folders declare, by app. */
  readonly #versions = new Map<string, string>();
  readonly #done = new Set<string>();
  #prepared = false;

  constructor(options: ExamplesOptions) {
    this.#options = options;
    this.#platform = createPlatformClient({ grpcUrl: options.grpcUrl });
  }

  start(): void {
    void this.#untilDone();
  }

  /** Does not wait for a running call: it ends with the listener. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves when every sample app is settled, or after `timeoutMs` with the current states. Rejects when `signal` aborts. */
  async settled(timeoutMs: number, signal: AbortSignal): Promise<ExamplesReport> {
    const { clock } = this.#options;
    for (const deadline = clock.monotonic() + timeoutMs; ; await clock.sleep(lookMs, signal)) {
      signal.throwIfAborted();
      const apps = await this.#states().catch(() => undefined);
      const isSettled = apps?.every(isAtRest) && this.#done.size === this.#apps.length;
      if (isSettled || clock.monotonic() > deadline) return { notes: this.#notes() };
    }
  }

  async #untilDone(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#stopping;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      // All are registered before one is installed, because an app may request permissions on another.
      for (const step of [this.#register, this.#install]) for (const app of exampleApps) await this.#attempt(step, app);
      if (this.#done.size === this.#apps.length) return;
      const delay = backoffMs(attempt, pauses);
      logger.warn(
        { reasons: [...this.#failures.values()], retryMs: delay },
        "sample apps: could not install all of them; retrying",
      );
      await clock.sleep(delay, signal).catch(() => {});
    }
  }

  async #attempt(step: (example: ExampleApp) => Promise<void>, example: ExampleApp): Promise<void> {
    try {
      await this.#prepare();
      if (this.#apps.includes(example)) await step(example);
    } catch (error) {
      const reason = error instanceof ConnectError ? error.rawMessage : messageOf(error);
      this.#failures.set(example.name, `${example.folder} is not installed yet; retrying: ${reason}`);
    }
  }

  /** Creates keys, frontends and images that do not exist yet. */
  async #prepare(): Promise<void> {
    if (this.#prepared) return;
    const obstacles = await Promise.all(exampleApps.map(this.#options.obstacle));
    this.#leftOut.splice(
      0,
      Infinity,
      ...obstacles.flatMap((each, i) => (each ? [`${relative("", exampleApps[i]?.folder ?? "")} is left out. ${each}`] : [])),
    );
    this.#apps = exampleApps.filter((_, i) => obstacles[i] === undefined);
    for (const app of this.#apps) {
      await ensureAppKeys(app.folder, app.name);
      if (existsSync(join(app.folder, "vite.config.ts"))) await buildFrontend(app.folder);
    }
    for (const { original, folder } of exampleVersions) await shareKeys(original, folder);
    await this.#options.makeImages();
    this.#prepared = true;
  }

  readonly #register = async (example: ExampleApp): Promise<void> => {
    if (this.#registered.has(example.name)) return;
    try {
      const keys = await ensureAppKeys(example.folder, example.name);
      const signed = await loadManifest(example.folder, keys);
      this.#versions.set(example.name, signed.manifest.version);
      const { changed } = await registerApp(this.#platform, signed);
      if (changed) this.#changed.add(example.name);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      this.#refusals.set(example.name, noteOf(example, refusal, await this.#find(example.name)));
    }
    this.#registered.add(example.name);
  };

  readonly #install = async ({ name }: ExampleApp): Promise<void> => {
    if (this.#done.has(name) || !this.#registered.has(name)) return;
    const app = await this.#find(name);
    if (app?.state === AppState.REGISTERED || app?.state === AppState.FAILED) {
      await this.#approve(app);
      await this.#platform.marketplace.installApp({ name });
    } else if (app && installedStates.has(app.state) && !this.#changed.has(name)) {
      await this.#deployChangedCode(name);
    }
    this.#done.add(name);
    this.#failures.delete(name);
  };

  /** The deployment of an unchanged release runs the code that it began with. Another version has its own folder and image. */
  async #deployChangedCode(name: string): Promise<void> {
    type Seen = { readonly app: { readonly releases: readonly Release[] } };
    const query = "query ($name: String!) { app(name: $name) { releases { version imageDigest isCurrent } } }";
    const { releases } = (await this.#ask<Seen>(query, { name })).app;
    const current = releases.find(({ isCurrent }) => isCurrent);
    if (!current?.imageDigest || current.version !== this.#versions.get(name)) return;
    if (current.imageDigest === (await this.#options.imageDigest(name))) return;
    await this.#ask("mutation ($name: String!) { redeployApp(name: $name, pull: true) { success } }", { name });
  }

  /** Approves what the installation of the app needs, as long as its manifest is the one that was read before. */
  async #approve({ name, manifestDigest }: App): Promise<void> {
    type Plan = { readonly installPlan: { readonly approvalsNeeded: readonly { readonly scope: string }[] } };
    const plan = "query ($name: String!) { installPlan(name: $name) { approvalsNeeded { scope } } }";
    const { approvalsNeeded } = (await this.#ask<Plan>(plan, { name })).installPlan;
    if (approvalsNeeded.length === 0) return;
    const mutation = `mutation ($name: String!, $scopes: [String!]!, $manifestDigest: String) {
      approvePermissions(name: $name, scopes: $scopes, manifestDigest: $manifestDigest) { success }
    }`;
    await this.#ask(mutation, { name, scopes: approvalsNeeded.map(({ scope }) => scope), manifestDigest });
  }

  /** Sends an operation over GraphQL. Rejects if the response has errors. */
  async #ask<Data>(query: string, variables: object): Promise<Data> {
    const response = await fetch(`${this.#options.httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(callTimeoutMs)]),
    });
    const { data, errors } = (await response.json()) as GraphqlResponse<Data>;
    if (errors?.[0]) throw new Error(errors[0].message);
    return data;
  }

  #notes(): readonly string[] {
    return [...this.#leftOut, ...this.#refusals.values(), ...this.#failures.values()];
  }

  async #states(): Promise<readonly App[]> {
    const apps = await Promise.all(this.#apps.map(({ name }) => this.#find(name)));
    return apps.filter((app) => app !== undefined);
  }

  /** Undefined for an app that was never registered. */
  async #find(name: string): Promise<App | undefined> {
    try {
      return (await this.#platform.marketplace.getApp({ name })).app;
    } catch (error) {
      if (ConnectError.from(error).code === Code.NotFound) return undefined;
      throw error;
    }
  }
}

/** Returns why the content of a sample app is refused. Undefined for a temporary failure. */
interface Refusal {
  readonly field: string;
  readonly reason: string;
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof ManifestError) return { field: "", reason: error.message };
  if (!(error instanceof ConnectError)) return undefined;
  const [info] = error.findDetails(ErrorInfoSchema);
  const field = info?.metadata["field"];
  if (field === undefined && error.code !== Code.InvalidArgument) return undefined;
  return { field: field ?? "", reason: error.rawMessage };
}

function noteOf({ folder }: ExampleApp, { field, reason }: Refusal, stored: App | undefined): string {
  if (stored === undefined) return `could not register ${folder}: ${reason}.`;
  const used = `the stored ${stored.version} is used`;
  if (field === "version") return `${folder} was changed, ${used}. Raise the version in its app.yaml to register the change.`;
  if (field === "certificate") return `${folder} has another key, ${used}. Restore its key.pem and certificate.pem.`;
  return `could not register ${folder}, ${used}: ${reason}.`;
}

const installedStates: ReadonlySet<AppState> = new Set([AppState.INSTALLED, AppState.RUNNING, AppState.UNHEALTHY]);

function isAtRest(app: App): boolean {
  return [AppState.RUNNING, AppState.FAILED, AppState.UNINSTALLED].includes(app.state);
}
