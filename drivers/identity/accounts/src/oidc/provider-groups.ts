import type { Logger } from "@appserver/kernel";
import type { GroupMemberships } from "@appserver/kernel/ports";
import type { ClaimedGroups } from "./groups-of-claims.ts";
import type { ProviderOptions } from "./provider-options.ts";

const dayMs = 86_400_000;

/** Tells the platform the groups that providers claim. */
export class ProviderGroups {
  readonly #memberships: (() => Promise<GroupMemberships>) | undefined;
  readonly #logger: Logger;

  constructor(memberships: (() => Promise<GroupMemberships>) | undefined, logger: Logger) {
    this.#memberships = memberships;
    this.#logger = logger;
  }

  /** Returns whether the person may be signed in. Rejects with SERVICE_UNAVAILABLE if the groups could not be written. */
  async take({ id, groupsMode }: ProviderOptions, userId: string, claimed: ClaimedGroups | undefined): Promise<boolean> {
    if (claimed === undefined) return true;
    const memberships = await this.#memberships?.();
    const source = sourceOf(id);
    if ("groups" in claimed) {
      await memberships?.replace({ userId, source, groups: claimed.groups });
      return true;
    }
    this.#logger.warn(
      { provider: id, userId, why: claimed.untold },
      "accounts: a provider did not tell the groups of a person",
    );
    if (groupsMode === "strict") return false;
    await memberships?.keep({ userId, source, maxAgeMs: dayMs });
    return true;
  }

  /** The provider does not respond: the last known groups stay for a day. */
  async keep({ id }: ProviderOptions, userId: string): Promise<void> {
    const memberships = await this.#memberships?.();
    await memberships?.keep({ userId, source: sourceOf(id), maxAgeMs: dayMs });
  }
}

function sourceOf(providerId: string): string {
  return `oidc:${providerId}`;
}
