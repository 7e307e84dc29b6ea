import { ContainerError } from "@appserver/kernel/ports";
import { KubernetesError } from "./kubernetes-client.ts";

/** Returns a refusal of the API server as a `ContainerError` about `subject`, and any other error unchanged. */
export function asContainerError(subject: string, error: unknown): unknown {
  if (!(error instanceof KubernetesError)) return error;
  // What the server finds invalid once, it always does.
  const reason = error.status === 422 || error.status === 400 ? "refused" : "other";
  return new ContainerError(reason, `${subject}: ${error.message}`, { cause: error });
}

export function notFound(name: string): ContainerError {
  return new ContainerError("not_found", `no container ${name}`);
}

export function isConflict(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && error.status === 409;
}

/** For a deletion: what does not exist is deleted. */
export function ifMissing(error: unknown): void {
  if (!(error instanceof KubernetesError) || error.status !== 404) throw error;
}
