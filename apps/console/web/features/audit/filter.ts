export const auditOutcomes = ["success", "denied", "failure"] as const;

/** Texts match as a whole. `since` and `until` are times of the browser without a zone, as fields have them. */
export interface AuditFilter {
  readonly target?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: (typeof auditOutcomes)[number] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}
