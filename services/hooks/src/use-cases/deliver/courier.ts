import type { ClaimedDelivery } from "../../domain/delivery.ts";
import type { AttemptResult } from "../../domain/retry-policy.ts";

/** One way to one subscriber: an open stream, or POSTs to its backend. */
export interface Courier {
  readonly appName: string;
  /** Hooks that go this way; undefined: all of the app's. */
  readonly hookNames: ReadonlySet<string> | undefined;
  /** Whether it takes only what no open stream covers. */
  readonly pushes: boolean;
  /** Deliveries that may be under way at once. */
  readonly capacity: number;
  /** Resolves when the subscriber has answered, or will not any more. Never rejects. */
  send(delivery: ClaimedDelivery): Promise<AttemptResult>;
}
