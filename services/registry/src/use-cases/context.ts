import type { Clock, Permissions } from "@appserver/kernel";
import type { Authenticator, ImageStore, PushLog, RefusedAttempts } from "../ports.ts";

export interface RegistryContext {
  readonly store: ImageStore;
  readonly authenticator: Authenticator;
  readonly permissions: Permissions;
  readonly attempts: RefusedAttempts;
  readonly pushes: PushLog;
  /** What the platform runs. */
  readonly imageKind: "images" | "folders";
  /** Keys of the tickets of container engines. */
  readonly ticketKeys: () => Promise<readonly Uint8Array[]>;
  readonly clock: Clock;
}
