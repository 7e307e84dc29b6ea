import { ContainerError } from "@appserver/kernel/ports";
import { EngineError } from "./engine-client.ts";

/** Returns an error response of the engine as a `ContainerError` about `subject`, and any other error unchanged. */
export function containerError(subject: string, error: unknown): unknown {
  return error instanceof EngineError ? new ContainerError("other", `${subject}: ${error.message}`, { cause: error }) : error;
}
