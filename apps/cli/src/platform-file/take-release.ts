import { ask, command } from "../client.ts";
import { untilDone } from "../commands/follow-operation.ts";
import {
  InstallAppDocument,
  InstallPlanDocument,
  RollbackAppDocument,
  UpgradeAppDocument,
  UpgradePlanDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import type { Change } from "./step.ts";

/** Installs the release that was planned, and waits until it is healthy. Its dependencies are installed by steps of their own. */
export async function installPlanned(
  options: GlobalOptions,
  { app: name, manifest }: Extract<Change, { kind: "install" }>,
): Promise<void> {
  const { installPlan } = await ask(options, InstallPlanDocument, { name, withDependencies: false });
  requireRelease(name, manifest, installPlan.steps);
  const variables = { name, withDependencies: false, planDigest: installPlan.digest };
  const { operation } = await command(options, InstallAppDocument, variables);
  await untilDone(options, operation, { isShown: !options.json });
}

/** Switches to the release that was planned, and waits until it serves. */
export async function switchPlanned(
  options: GlobalOptions,
  { kind, app: name, version, manifest }: Extract<Change, { kind: "upgrade" | "rollback" }>,
): Promise<void> {
  const { upgradePlan } = await ask(options, UpgradePlanDocument, { name, version });
  requireRelease(name, manifest, upgradePlan.steps);
  const document = kind === "upgrade" ? UpgradeAppDocument : RollbackAppDocument;
  const { operation } = await command(options, document, { name, version, planDigest: upgradePlan.digest });
  await untilDone(options, operation, { isShown: !options.json });
}

interface PlannedStep {
  readonly appName: string;
  readonly manifestDigest: string;
}

/** The platform refuses a plan whose digest is another one. This refuses a plan of another release. A blocked plan has no steps. */
function requireRelease(name: string, manifest: string, steps: readonly PlannedStep[]): void {
  const step = steps.find(({ appName }) => appName === name);
  if (step && step.manifestDigest !== manifest)
    throw new Error(`${name} would get the release ${step.manifestDigest} instead of ${manifest}, which was planned`);
}
