import type { PlatformUnderTest } from "@appserver/testing/kit";
import { command, dataOf } from "../../contract/commands.ts";

/** Approves every permission that an upgrade of the app to its newest release needs. */
export async function approveUpgrade(platform: PlatformUnderTest, name: string): Promise<void> {
  type Plan = { readonly upgradePlan: { readonly approvalsNeeded: readonly { readonly scope: string }[] } };
  const { upgradePlan } = await dataOf<Plan>(platform, `{ upgradePlan(name: "${name}") { approvalsNeeded { scope } } }`);
  const scopes = upgradePlan.approvalsNeeded.map(({ scope }) => scope);
  await command(platform, `approvePermissions(name: "${name}", scopes: ${JSON.stringify(scopes)}) { success }`);
}
