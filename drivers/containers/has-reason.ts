import { ContainerError } from "@appserver/kernel/ports";

/** Returns a matcher for `assert.rejects`: a ContainerError with this reason. */
export function hasReason(reason: ContainerError["reason"]): (error: unknown) => boolean {
  return (error) => error instanceof ContainerError && error.reason === reason;
}
