import type { Clock } from "@appserver/kernel";
import { ContainerError } from "@appserver/kernel/ports";

const lookEveryMs = 100;

export interface Wait {
  readonly ms: number;
  /** For the error: "the claim is deleted". */
  readonly what: string | (() => string);
}

/** Resolves once `holds` is true. Rejects with a ContainerError `other` after `ms`. */
export async function eventually(clock: Clock, holds: () => boolean | Promise<boolean>, { ms, what }: Wait): Promise<void> {
  const end = clock.monotonic() + ms;
  while (!(await holds())) {
    if (clock.monotonic() > end)
      throw new ContainerError("other", `${typeof what === "string" ? what : what()}: not after ${ms / 1_000} s`);
    await clock.sleep(lookEveryMs);
  }
}
