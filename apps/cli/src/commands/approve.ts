import type { Permission } from "@appserver/contracts/proto/appserver/v2/common";
import type { PlatformClient } from "@appserver/sdk";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson, printResult } from "../output.ts";
import { connect } from "../platform.ts";
import { renderTable } from "../table.ts";

/** Lists the permissions of the app's manifest that need an approval, or approves the given scopes. */
export async function approveApp(
  options: GlobalOptions,
  name: string,
  scopes: readonly string[],
  manifestDigest: string | undefined,
): Promise<void> {
  const { marketplace } = connect(options);
  if (scopes.length > 0) {
    const reviewed = manifestDigest === undefined ? {} : { manifestDigest };
    const response = await marketplace.approvePermissions({ name, scopes: [...scopes], ...reviewed });
    printResult(options, response, `approved ${scopes.join(", ")} for ${name}`);
    return;
  }
  const { permissions, manifest } = await neededApprovals(marketplace, name);
  const needed = permissions.map(({ scope, resourceType, reason }) => ({ scope, of: resourceType, reason }));
  if (options.json) return printJson({ permissions: needed, manifest });
  if (needed.length === 0) return print(`${name} needs no approval`);
  const rows = needed.map(({ scope, of, reason }) => [scope, of, reason]);
  print(`${renderTable(["SCOPE", "OF", "REASON"], rows)}\nmanifest ${manifest}`);
}

interface NeededApprovals {
  readonly permissions: readonly Permission[];
  /** Digest of the manifest that requests them. */
  readonly manifest: string;
}

/** Returns what an installation needs, or an upgrade if a newer version of the app is registered. */
async function neededApprovals(marketplace: PlatformClient["marketplace"], name: string): Promise<NeededApprovals> {
  const { app } = await marketplace.getApp({ name });
  const hasNewer = app?.availableVersion !== undefined;
  const plan = hasNewer ? await marketplace.planUpgrade({ name }) : await marketplace.planInstall({ name });
  return { permissions: plan.approvalsNeeded, manifest: app?.availableDigest ?? app?.manifestDigest ?? "" };
}
