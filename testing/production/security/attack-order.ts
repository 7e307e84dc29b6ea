/** What an app does to the server of its database. */
export type Attack = "locks" | "notifications" | "administration";

/** The body of `POST /attack` of the app in `database-attacker/`. */
export interface AttackOrder {
  readonly attack: Attack;
  readonly milliseconds: number;
}
