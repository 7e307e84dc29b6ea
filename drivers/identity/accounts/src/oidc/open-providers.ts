import type { GroupMemberships } from "@appserver/kernel/ports";
import { GroupRefresh, type GroupRefreshDeps } from "./group-refresh.ts";
import { Provider } from "./provider.ts";
import { ProviderGroups } from "./provider-groups.ts";
import type { ProviderOptions } from "./provider-options.ts";
import { ProviderSignIn, type ProviderSignInDeps } from "./provider-sign-in.ts";

export interface ProvidersDeps
  extends Omit<GroupRefreshDeps, "providers" | "groups">,
    Pick<ProviderSignInDeps, "invitations" | "key"> {
  readonly known: readonly ProviderOptions[];
  readonly memberships: (() => Promise<GroupMemberships>) | undefined;
}

/** Returns the sign-in at the known providers, and what asks them again for the groups of people. */
export function openProviders({ known, memberships, invitations, key, ...deps }: ProvidersDeps): {
  readonly providers: ProviderSignIn;
  readonly refresh: GroupRefresh;
} {
  const { clock, logger } = deps;
  const shared = {
    ...deps,
    providers: new Map(known.map((options) => [options.id, new Provider(options, clock, logger)])),
    groups: new ProviderGroups(memberships, logger),
  };
  return {
    providers: new ProviderSignIn({ ...shared, invitations, key }),
    refresh: new GroupRefresh(shared),
  };
}
