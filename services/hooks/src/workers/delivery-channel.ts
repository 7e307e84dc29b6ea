import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { AttemptResult } from "../domain/retry-policy.ts";

/** One connection to one subscriber: an open stream, or POSTs to its backend. */
export interface DeliveryChannel {
  readonly appName: string;
  /** The hooks that it delivers. Undefined: all hooks of the app. */
  readonly hookNames: ReadonlySet<string> | undefined;
  /** Whether it delivers only hooks that no open stream covers. */
  readonly pushes: boolean;
  /** Maximum concurrent deliveries. */
  readonly capacity: number;
  /** Resolves when the subscriber has responded, or can no longer respond. Never rejects. */
  send(delivery: ClaimedDelivery): Promise<AttemptResult>;
}
