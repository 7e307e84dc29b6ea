import { ask, command, found } from "../client.ts";
import {
  AppDocument,
  ApprovePermissionsDocument,
  InstallPlanDocument,
  type NeededApprovalFragment,
  UpgradePlanDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson, printResult } from "../output.ts";
import { renderTable } from "../table.ts";

/** Lists the permissions of the app's manifest that need an approval, or approves the given scopes. */
export async function approveApp(
  options: GlobalOptions,
  name: string,
  scopes: readonly string[],
  manifestDigest: string | undefined,
): Promise<void> {
  if (scopes.length > 0) {
    const result = await command(options, ApprovePermissionsDocument, { name, scopes, manifestDigest });
    printResult(options, result, `approved ${scopes.join(", ")} for ${name}`);
    return;
  }
  const { permissions, manifest } = await neededApprovals(options, name);
  const needed = permissions.map(({ scope, resourceType, reason }) => ({ scope, of: resourceType, reason }));
  if (options.json) return printJson({ permissions: needed, manifest });
  if (needed.length === 0) return print(`${name} needs no approval`);
  const rows = needed.map(({ scope, of, reason }) => [scope, of, reason]);
  print(`${renderTable(["SCOPE", "OF", "REASON"], rows)}\nmanifest ${manifest}`);
}

interface NeededApprovals {
  readonly permissions: readonly NeededApprovalFragment[];
  /** Digest of the manifest that requests them. */
  readonly manifest: string;
}

/** Returns what an installation needs, or an upgrade if a newer version of the app is registered. */
async function neededApprovals(options: GlobalOptions, name: string): Promise<NeededApprovals> {
  const { availableDigest, manifestDigest } = found((await ask(options, AppDocument, { name })).app, `app ${name}`);
  const { approvalsNeeded } =
    availableDigest == null
      ? (await ask(options, InstallPlanDocument, { name })).installPlan
      : (await ask(options, UpgradePlanDocument, { name })).upgradePlan;
  return { permissions: approvalsNeeded, manifest: availableDigest ?? manifestDigest };
}
