import type { ClaimedDelivery } from "../../domain/delivery.ts";
import type { AttemptResult } from "../../domain/retry-policy.ts";

/** One connection to one subscriber: an open stream, or POSTs to its backend. */
export interface Courier {
  readonly appName: string;
  /** Hooks that it delivers; undefined: all of the app's. */
  readonly hookNames: ReadonlySet<string> | undefined;
  /** Whether it delivers only what no open stream covers. */
  readonly pushes: boolean;
  /** Maximum concurrent deliveries. */
  readonly capacity: number;
  /** Resolves when the subscriber has responded, or can no longer respond. Never rejects. */
  send(delivery: ClaimedDelivery): Promise<AttemptResult>;
}
