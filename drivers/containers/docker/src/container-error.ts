import { ContainerError } from "@appserver/kernel/ports";
import { EngineError } from "./engine-client.ts";

/** Returns an error response of the engine as a `ContainerError` about `subject`, and any other error unchanged. */
export function containerError(subject: string, error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  // What it refuses once, it refuses always. Podman responds 500 to everything.
  const reason = error.status === 400 ? "refused" : "other";
  return new ContainerError(reason, `${subject}: ${error.message}`, { cause: error });
}

/**
 * Returns the error of a start. The engine responds 400 if the command of the image cannot be executed, and 404 if the network of the
 * container was removed. With 500 it failed itself, apart from what the runtime of containers reports of the image.
 */
export function startError(name: string, error: EngineError): ContainerError {
  const isRefused = error.status < 500 && error.status !== 404;
  const isOfImage = isRefused || imagePatterns.some((pattern) => pattern.test(error.message));
  return new ContainerError(isOfImage ? "start_failed" : "other", `${name} did not start: ${error.message}`, { cause: error });
}

/** Messages of runtimes for an image that cannot run. */
const imagePatterns = [
  /exec format error/i,
  /executable file (`\S+` )?not found/i,
  /exec[^:]*: .*(no such file or directory|permission denied)/i,
  /unable to find (user|group)/i,
];
