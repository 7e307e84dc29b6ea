import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppState, type Operation } from "@appserver/contracts/proto/appserver/v2/common";
import type { App, VersionChange } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { approvePermissions, loadManifest, type PlatformClient, readAppKeys, registerApp } from "@appserver/sdk";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { print, printJson, printWarnings } from "../../output.ts";
import { connect, type GlobalOptions } from "../../platform.ts";
import { sleep } from "../../sleep.ts";
import { untilDone } from "../follow-operation.ts";
import { type DevPlatform, findDevPlatform, linkFolder } from "./dev-platform.ts";
import { runNpm } from "./run-npm.ts";

const lookEveryMs = 100;

export interface DeployFlags {
  readonly http: string;
}

/** What serves now. */
export interface Deployed {
  readonly name: string;
  readonly version: string;
  /** Of its page, or of its API if it has no page. */
  readonly url: string;
}

/** Takes the present state of a folder into use on a development platform, and waits until it serves. */
export async function deployFolder(options: GlobalOptions, folder: string, { http }: DeployFlags): Promise<void> {
  const deployment = new FolderDeployment(connect(options), await findDevPlatform(http), folder, !options.json);
  const deployed = await deployment.run();
  if (options.json) printJson(deployed);
  else print(`${deployed.name} ${deployed.version} serves: ${deployed.url}`);
}

/** Takes what is in a folder into use on a development platform. */
export class FolderDeployment {
  readonly #platform: PlatformClient;
  readonly #dev: DevPlatform;
  readonly #folder: string;
  readonly #isShown: boolean;

  /** `isShown`: whether the progress of operations is shown. */
  constructor(platform: PlatformClient, dev: DevPlatform, folder: string, isShown: boolean) {
    this.#platform = platform;
    this.#dev = dev;
    this.#folder = folder;
    this.#isShown = isShown;
  }

  /**
   * Builds, registers and installs the app of the folder, or switches to what has changed. Approves the permissions that it
   * requests: the folder is the developer's own. If the new release does not become healthy, the one before continues to serve, and
   * this rejects with the reason.
   */
  async run(): Promise<Deployed> {
    const { marketplace } = this.#platform;
    if (hasBuild(this.#folder)) await runNpm(this.#folder, ["run", "--silent", "build"]);
    const signed = await loadManifest(this.#folder, await readAppKeys(this.#folder));
    const { name, version, webApp } = signed.manifest;
    await linkFolder(this.#dev, name, this.#folder);
    const [lastChange] = await this.#changesOf(name);
    const { app, changed, warnings } = await registerApp(this.#platform, signed);
    printWarnings(warnings);
    if (!app || !isInstalled(app)) {
      await approvePermissions(this.#platform, name);
      await this.#untilDone((await marketplace.installApp({ name, withDependencies: true })).operation);
    } else if (app.availableDigest !== undefined) {
      await this.#switchTo(app, app.availableDigest, lastChange);
    } else if (!changed) {
      await this.#untilDone((await marketplace.redeployApp({ name, pull: true })).operation);
    }
    return { name, version, url: this.#dev.httpUrl + (webApp?.ui?.routeBase ?? `/api/apps/${name}/`) };
  }

  async #switchTo({ name }: App, manifestDigest: string, lastChange: VersionChange | undefined): Promise<void> {
    const { marketplace } = this.#platform;
    const { approvalsNeeded } = await marketplace.planUpgrade({ name });
    const scopes = approvalsNeeded.map(({ scope }) => scope);
    if (scopes.length > 0) await marketplace.approvePermissions({ name, scopes, manifestDigest });
    try {
      await this.#untilDone((await marketplace.upgradeApp({ name })).operation);
    } catch (error) {
      // The platform switches to another revision of the same version by itself.
      if (!(error instanceof ConnectError) || error.code !== Code.Aborted) throw error;
      await this.#untilServed(name, manifestDigest, lastChange);
    }
  }

  async #untilServed(name: string, manifestDigest: string, lastChange: VersionChange | undefined): Promise<void> {
    for (;;) {
      const [change] = await this.#changesOf(name);
      const isNew = change !== undefined && timeOf(change) !== timeOf(lastChange);
      if (isNew && change.reason !== undefined) throw new Error(`upgrade of ${name}: ${change.reason}`);
      if (isNew && change.manifestDigest === manifestDigest) return;
      await sleep(lookEveryMs);
    }
  }

  /** The newest first. Empty for an app that is not registered. */
  async #changesOf(name: string): Promise<readonly VersionChange[]> {
    try {
      return (await this.#platform.marketplace.listVersions({ name })).changes;
    } catch (error) {
      if (error instanceof ConnectError && error.code === Code.NotFound) return [];
      throw error;
    }
  }

  async #untilDone(started: Operation | undefined): Promise<void> {
    await untilDone(this.#platform.marketplace, started, { isShown: this.#isShown });
  }
}

function timeOf(change: VersionChange | undefined): number | undefined {
  return change?.at && timestampMs(change.at);
}

/** Whether `package.json` has a script `build`. */
function hasBuild(folder: string): boolean {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return false;
  const { scripts } = JSON.parse(readFileSync(file, "utf8")) as { readonly scripts?: { readonly build?: string } };
  return scripts?.build !== undefined;
}

const notInstalled: ReadonlySet<AppState> = new Set([AppState.REGISTERED, AppState.UNINSTALLED, AppState.FAILED]);

function isInstalled({ state }: App): boolean {
  return !notInstalled.has(state);
}
