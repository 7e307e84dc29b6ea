import { manifestDigest } from "@appserver/contracts/manifest";
import { containerName } from "@appserver/contracts/names";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import {
  type AppKeys,
  loadManifest,
  placeRefused,
  registerApp,
  registrationHeaders,
  type SignedManifest,
  signManifest,
} from "@appserver/sdk";
import { ApprovalNeeded } from "../../approval-needed.ts";
import { ask, command } from "../../client.ts";
import { codeOf } from "../../failure.ts";
import { folderKeys } from "../../folder-keys.ts";
import {
  AppDocument,
  type AppFragment,
  ApprovePermissionsDocument,
  type AppState,
  InstallAppDocument,
  InstallPlanDocument,
  type NeededApprovalFragment,
  type OperationFragment,
  RedeployAppDocument,
  UpgradeAppDocument,
  UpgradePlanDocument,
  VersionsOfAppDocument,
  type VersionsOfAppQuery,
} from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, print, printJson, printWarnings } from "../../output.ts";
import { withPipelineToken } from "../../pipeline-token.ts";
import { connect } from "../../platform.ts";
import { RegistrationRefusal, registrationHints } from "../../registration-refusal.ts";
import { sleep } from "../../sleep.ts";
import { untilDone } from "../follow-operation.ts";
import { type Plan, planText } from "../plan.ts";
import { buildFolder } from "./build-folder.ts";
import { requireDeployPermissions } from "./deploy-permissions.ts";
import { type DeployTarget, findTarget, type TargetFlags } from "./deploy-target.ts";

const lookEveryMs = 100;
/** Stands for that of an image which does not exist yet. */
const anyDigest = `sha256:${"0".repeat(64)}`;

export interface DeployFlags extends TargetFlags {
  readonly registrationToken?: string | undefined;
}

/** What serves now. */
export interface Deployed {
  readonly name: string;
  readonly version: string;
  /** Of its page, or of its API if it has no page. */
  readonly url: string;
  /** The image that runs. Undefined without a container, and where only a tag names it. */
  readonly imageDigest: string | undefined;
  /** Whether the platform did not have this content before. */
  readonly isNew: boolean;
}

/** Takes the present state of a folder into use on a platform, and waits until it serves. */
export async function deployFolder(given: GlobalOptions, folder: string, flags: DeployFlags): Promise<void> {
  const options = await withPipelineToken(given);
  const target = await findTarget(options, flags);
  if (target.checksPermissions) await requireDeployPermissions(options, { ...flags, approves: target.approves });
  const deployment = new FolderDeployment(options, target, folder, {
    isShown: !options.json,
    registrationToken: flags.registrationToken,
    hints: registrationHints(options, flags.registrationToken),
  });
  const { name, version, url } = await deployment.run();
  if (options.json) printJson({ name, version, url });
  else print(`${name} ${version} serves: ${url}`);
}

interface DeploymentOptions {
  /** Whether the progress of operations is shown. */
  readonly isShown: boolean;
  /** If the platform requires one. */
  readonly registrationToken?: string | undefined;
  /** What a caller can give whose registration is refused. */
  readonly hints: readonly string[];
  /** Makes what the folder needs to run. Default: its build. */
  readonly build?: () => Promise<void>;
}

/** Takes what is in a folder into use on a platform. */
export class FolderDeployment {
  readonly #platform: GlobalOptions;
  readonly #target: DeployTarget;
  readonly #folder: string;
  readonly #options: DeploymentOptions;

  constructor(platform: GlobalOptions, target: DeployTarget, folder: string, options: DeploymentOptions) {
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
    await (this.#options.build ?? (() => buildFolder(this.#folder)))();
    const keys = await folderKeys(this.#platform, this.#folder);
    const { manifest, warnings: leftOut } = await loadManifest(this.#folder, keys);
    const { name, version, webApp } = manifest;
    if (this.#target.buildsImage && hasContainer(manifest)) await this.#requireValid(manifest, keys);
    // Also without an image: a digest in app.yaml is of another build than this one.
    manifest.imageDigest = hasContainer(manifest) ? await this.#target.provide(name, this.#folder) : undefined;
    const [lastChange] = await this.#changesOf(name);
    const signed = signManifest(manifest, keys);
    const digest = manifestDigest(signed.manifest);
    const { changed, warnings } = await this.#register(signed);
    printWarnings([...leftOut, ...warnings]);
    const { app } = await ask(this.#platform, AppDocument, { name });
    if (!app || !isInstalled(app)) {
      const plan = (await ask(this.#platform, InstallPlanDocument, { name })).installPlan;
      this.#show(plan);
      await this.#approve(name, plan.approvalsNeeded, app?.manifestDigest);
      await this.#untilDone(command(this.#platform, InstallAppDocument, { name, withDependencies: true }));
    } else if (app.manifestDigest === digest) {
      // A newer release may be available. It is not what the folder has: it may be the one that failed.
      if (!changed && manifest.imageDigest === undefined)
        await this.#untilDone(command(this.#platform, RedeployAppDocument, { name, pull: true }));
    } else if (app.availableDigest === digest) {
      await this.#switchTo(app, digest, lastChange);
    } else {
      throw new Error(
        `the folder has ${name} ${version}, a release before the newest one; ${app.version} serves. \`appctl rollback\` returns to an earlier version`,
      );
    }
    const { imageDigest } = manifest;
    return {
      name,
      version,
      imageDigest,
      isNew: changed,
      url: this.#target.httpUrl + (webApp?.ui?.routeBase ?? `/api/apps/${name}/`),
    };
  }

  async #switchTo({ name }: AppFragment, digest: string, lastChange: VersionChange | undefined): Promise<void> {
    const plan = (await ask(this.#platform, UpgradePlanDocument, { name })).upgradePlan;
    this.#show(plan);
    printWarnings(plan.warnings);
    await this.#approve(name, plan.approvalsNeeded, digest);
    try {
      await this.#untilDone(command(this.#platform, UpgradeAppDocument, { name }));
    } catch (error) {
      // The platform switches to another revision of the same version by itself.
      if (codeOf(error) !== "CONFLICT") throw error;
      await this.#untilServed(name, digest, lastChange);
    }
  }

  #show(plan: Plan): void {
    if (this.#options.isShown) note(planText(plan));
  }

  /** Rejects with what the platform would refuse, before minutes go into an image. It knows no digest of the image by then. */
  async #requireValid(manifest: AppManifest, keys: AppKeys): Promise<void> {
    const { registrationToken, hints } = this.#options;
    const { manifest: checked, signature } = signManifest({ ...manifest, imageDigest: anyDigest }, keys);
    const request = { manifest: checked, manifestSignature: signature };
    const asked = connect(this.#platform).marketplace.validateManifest(request, {
      headers: registrationHeaders(registrationToken),
    });
    const { valid, violations } = await RegistrationRefusal.of(asked, hints);
    if (valid) return;
    const lines = (await placeRefused(this.#folder, violations)).map((problem) => `  ${problem}`);
    throw new Error(
      [`the platform would refuse ${manifest.name} ${manifest.version}; no image was built:`, ...lines].join("\n"),
    );
  }

  #register(signed: SignedManifest): ReturnType<typeof registerApp> {
    const { registrationToken: token, hints } = this.#options;
    return RegistrationRefusal.of(registerApp(connect(this.#platform), signed, token), hints, this.#folder);
  }

  async #approve(name: string, needed: readonly NeededApprovalFragment[], digest?: string): Promise<void> {
    const scopes = needed.map(({ scope }) => scope);
    if (scopes.length === 0) return;
    if (this.#target.approves) {
      await command(this.#platform, ApprovePermissionsDocument, { name, scopes, manifestDigest: digest });
      return;
    }
    const list = scopes.join(" ");
    throw new ApprovalNeeded(
      `${name} is registered and waits for an approval of ${list}: run \`appctl approve ${name} ${list}\`, then deploy again; --approve does both`,
    );
  }

  async #untilServed(name: string, digest: string, lastChange: VersionChange | undefined): Promise<void> {
    for (;;) {
      const [change] = await this.#changesOf(name);
      const isNew = change !== undefined && change.at !== lastChange?.at;
      if (isNew && change.reason != null) throw new Error(`upgrade of ${name}: ${change.reason}`);
      if (isNew && change.manifestDigest === digest) return;
      await sleep(lookEveryMs);
    }
  }

  /** The newest first. Empty for an app that is not registered. */
  async #changesOf(name: string): Promise<readonly VersionChange[]> {
    return (await ask(this.#platform, VersionsOfAppDocument, { name })).app?.versionHistory ?? [];
  }

  async #untilDone(started: Promise<{ readonly operation: OperationFragment }>): Promise<void> {
    await untilDone(this.#platform, (await started).operation, { isShown: this.#options.isShown });
  }
}

/** Returns whether the platform runs a container of the app (docs/interface/containers.md#placement). */
function hasContainer({ name, webApp }: AppManifest): boolean {
  const upstream = webApp?.api?.upstreamBaseUrl ?? "";
  return webApp?.ui?.ssr === true || (URL.canParse(upstream) && new URL(upstream).hostname === containerName(name));
}

type VersionChange = NonNullable<VersionsOfAppQuery["app"]>["versionHistory"][number];

const notInstalled: ReadonlySet<AppState> = new Set<AppState>(["REGISTERED", "UNINSTALLED", "FAILED"]);

function isInstalled({ state }: AppFragment): boolean {
  return !notInstalled.has(state);
}
