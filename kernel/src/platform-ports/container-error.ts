/** Why an engine did not do what it was asked. `docs/interface/containers.md#failures` says what the orchestrator does about each. */
export type ContainerErrorReason =
  /** There is no engine at its address. */
  | "unreachable"
  /** The registry responds and does not have the image, or the engine does not have it. */
  | "image_not_found"
  | "pull_timeout"
  /** The registry cannot be reached, or failed. */
  | "pull_failed"
  /** The registry allows no more pulls for now. */
  | "pull_limited"
  | "name_conflict"
  | "no_free_network"
  /** The image or what the app declares cannot run. */
  | "start_failed"
  | "not_found"
  /** The engine refused what the app declares. */
  | "refused"
  /** The engine failed: its disk is full, or it has a problem of its own. */
  | "other";

export class ContainerError extends Error {
  override readonly name = "ContainerError";
  readonly reason: ContainerErrorReason;

  constructor(reason: ContainerErrorReason, message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
  }
}
