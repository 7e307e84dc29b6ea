/** What the API sends. The page uses the same types. */
export interface Expense {
  readonly id: number;
  readonly userId: string;
  /** The name of the person who spent it. */
  readonly person: string;
  readonly purpose: string;
  readonly cents: number;
  readonly currency: Currency;
  /** A date of the calendar: `2026-11-30`. */
  readonly spentOn: string;
  readonly state: "OPEN" | "APPROVED" | "REFUSED";
  /** The name of the person who decided. */
  readonly decidedBy?: string;
  /** ISO 8601, UTC. */
  readonly decidedAt?: string;
  readonly reason?: string;
}

export const currencies = ["EUR", "USD", "GBP", "CHF"] as const;
export type Currency = (typeof currencies)[number];
export const maxCents = 10_000_000;
export const maxPurpose = 200;
export const maxReason = 300;
/** How many expenses a list has. */
export const maxListed = 200;

/** May decide on expenses of others, and see all. */
export const approvePermission = "com.example.expenses:approve";
