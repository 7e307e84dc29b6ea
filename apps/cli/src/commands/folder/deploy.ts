import { AppState, type Operation, type Permission } from "@appserver/contracts/proto/appserver/v2/common";
import type { App, VersionChange } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { loadManifest, type PlatformClient, readAppKeys, registerApp, type SignedManifest } from "@appserver/sdk";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson, printWarnings } from "../../output.ts";
import { connect } from "../../platform.ts";
import { RegistrationRefusal, registrationHints } from "../../registration-refusal.ts";
import { sleep } from "../../sleep.ts";
import { untilDone } from "../follow-operation.ts";
import { buildFolder } from "./build-folder.ts";
import { requireDeployPermissions } from "./deploy-permissions.ts";
import { type DeployTarget, findTarget, type TargetFlags } from "./deploy-target.ts";

const lookEveryMs = 100;

export interface DeployFlags extends TargetFlags {
  readonly registrationToken?: string | undefined;
}

/** What serves now. */
export interface Deployed {
  readonly name: string;
  readonly version: string;
  /** Of its page, or of its API if it has no page. */
  readonly url: string;
}

/** Takes the present state of a folder into use on a platform, and waits until it serves. */
export async function deployFolder(options: GlobalOptions, folder: string, flags: DeployFlags): Promise<void> {
  const target = await findTarget(options, flags);
  if (target.checksPermissions) await requireDeployPermissions(options, { ...flags, approves: target.approves });
  const deployment = new FolderDeployment(connect(options), target, folder, {
    isShown: !options.json,
    registrationToken: flags.registrationToken,
    hints: registrationHints(options, flags.registrationToken),
  });
  const deployed = await deployment.run();
  if (options.json) printJson(deployed);
  else print(`${deployed.name} ${deployed.version} serves: ${deployed.url}`);
}

interface DeploymentOptions {
  /** Whether the progress of operations is shown. */
  readonly isShown: boolean;
  /** If the platform requires one. */
  readonly registrationToken?: string | undefined;
  /** What a caller can give whose registration is refused. */
  readonly hints: readonly string[];
}

/** Takes what is in a folder into use on a platform. */
export class FolderDeployment {
  readonly #platform: PlatformClient;
  readonly #target: DeployTarget;
  readonly #folder: string;
  readonly #options: DeploymentOptions;

  constructor(platform: PlatformClient, target: DeployTarget, folder: string, options: DeploymentOptions) {
    this.#platform = platform;
    this.#target = target;
    this.#folder = folder;
    this.#options = options;
  }

  /**
   * Builds, registers and installs the app of the folder, or switches to what has changed. If the new release does not become
   * healthy, the one before continues to serve, and this rejects with the reason. Rejects before the switch if permissions of the app
   * wait for an approval.
   */
  async run(): Promise<Deployed> {
    const { marketplace } = this.#platform;
    await buildFolder(this.#folder);
    const signed = await loadManifest(this.#folder, await readAppKeys(this.#folder));
    const { name, version, webApp } = signed.manifest;
    if (webApp?.api) await this.#target.provide(name, this.#folder);
    const [lastChange] = await this.#changesOf(name);
    const { app, changed, warnings } = await this.#register(signed);
    printWarnings([...signed.warnings, ...warnings]);
    if (!app || !isInstalled(app)) {
      await this.#approve(name, (await marketplace.planInstall({ name })).approvalsNeeded, app?.manifestDigest);
      await this.#untilDone((await marketplace.installApp({ name, withDependencies: true })).operation);
    } else if (app.availableDigest !== undefined) {
      await this.#switchTo(app, app.availableDigest, lastChange);
    } else if (!changed) {
      await this.#untilDone((await marketplace.redeployApp({ name, pull: true })).operation);
    }
    return { name, version, url: this.#target.httpUrl + (webApp?.ui?.routeBase ?? `/api/apps/${name}/`) };
  }

  async #switchTo({ name }: App, manifestDigest: string, lastChange: VersionChange | undefined): Promise<void> {
    const { marketplace } = this.#platform;
    const { approvalsNeeded, warnings } = await marketplace.planUpgrade({ name });
    printWarnings(warnings);
    await this.#approve(name, approvalsNeeded, manifestDigest);
    try {
      await this.#untilDone((await marketplace.upgradeApp({ name })).operation);
    } catch (error) {
      // The platform switches to another revision of the same version by itself.
      if (!(error instanceof ConnectError) || error.code !== Code.Aborted) throw error;
      await this.#untilServed(name, manifestDigest, lastChange);
    }
  }

  #register(signed: SignedManifest): ReturnType<typeof registerApp> {
    const { registrationToken: token, hints } = this.#options;
    return RegistrationRefusal.of(registerApp(this.#platform, signed, token), hints);
  }

  async #approve(name: string, needed: readonly Permission[], manifestDigest = ""): Promise<void> {
    const scopes = needed.map(({ scope }) => scope);
    if (scopes.length === 0) return;
    if (this.#target.approves) {
      await this.#platform.marketplace.approvePermissions({ name, scopes, manifestDigest });
      return;
    }
    const list = scopes.join(" ");
    throw new Error(
      `${name} is registered and waits for an approval of ${list}: run \`appctl approve ${name} ${list}\`, then deploy again; --approve does both`,
    );
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
    await untilDone(this.#platform.marketplace, started, { isShown: this.#options.isShown });
  }
}

function timeOf(change: VersionChange | undefined): number | undefined {
  return change?.at && timestampMs(change.at);
}

const notInstalled: ReadonlySet<AppState> = new Set([AppState.REGISTERED, AppState.UNINSTALLED, AppState.FAILED]);

function isInstalled({ state }: App): boolean {
  return !notInstalled.has(state);
}
