import type { Permission } from "@appserver/contracts/proto/appserver/v2/common";
import type { PlatformClient } from "@appserver/sdk";
import { print, printJson } from "../output.ts";
import { connect, type GlobalOptions } from "../platform.ts";
import { renderTable } from "../table.ts";

/** Lists the permissions of the app's manifest that need an approval, or approves the given scopes. */
export async function approveApp(options: GlobalOptions, name: string, scopes: readonly string[]): Promise<void> {
  const { marketplace } = connect(options);
  if (scopes.length > 0) {
    await marketplace.approvePermissions({ name, scopes: [...scopes] });
    if (options.json) printJson({ name, approved: scopes });
    else print(`approved ${scopes.join(", ")} for ${name}`);
    return;
  }
  const approvalsNeeded = await neededApprovals(marketplace, name);
  const needed = approvalsNeeded.map(({ scope, resourceType, reason }) => ({ scope, of: resourceType, reason }));
  if (options.json) printJson(needed);
  else if (needed.length === 0) print(`${name} needs no approval`);
  else
    print(
      renderTable(
        ["SCOPE", "OF", "REASON"],
        needed.map(({ scope, of, reason }) => [scope, of, reason]),
      ),
    );
}

/** Returns what an installation needs, or an upgrade if a newer version of the app is registered. */
async function neededApprovals(marketplace: PlatformClient["marketplace"], name: string): Promise<readonly Permission[]> {
  const { app } = await marketplace.getApp({ name });
  const hasNewer = app?.availableVersion !== undefined;
  const plan = hasNewer ? await marketplace.planUpgrade({ name }) : await marketplace.planInstall({ name });
  return plan.approvalsNeeded;
}
