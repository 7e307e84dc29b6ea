/** What a source reports of the groups of a person. */
export interface ToldGroups {
  /** The user's id, without a type prefix. */
  readonly userId: string;
  /** Who tells: `oidc:<provider>` or `scim`. */
  readonly source: string;
  /** Names or ids, as the source has them. */
  readonly groups: readonly string[];
}

/** Takes what identity providers report of the groups of people. A person is in a group as long as any source says so. */
export interface GroupMemberships {
  /**
   * Replaces what the source has reported of the person before. Rejects with SERVICE_UNAVAILABLE if the groups could not be written. The last
   * administrator stays in the groups that make them one.
   */
  replace(told: ToldGroups): Promise<void>;
  /**
   * The source could not tell: the person stays in its groups if they were read in the last `maxAgeMs`, and leaves them otherwise. Returns
   * whether the person stays.
   */
  keep(told: Omit<ToldGroups, "groups"> & { readonly maxAgeMs: number }): Promise<boolean>;
}
