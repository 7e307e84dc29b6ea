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
  const { approvalsNeeded } = await marketplace.planInstall({ name });
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
