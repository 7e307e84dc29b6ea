import { ContainerError, type ContainerErrorReason } from "@appserver/kernel/ports";
import { KubernetesError } from "./kubernetes-client.ts";

/** Returns a refusal of the API server as a `ContainerError` about `subject`, and any other error unchanged. */
export function asContainerError(subject: string, error: unknown): unknown {
  if (!(error instanceof KubernetesError)) return error;
  return new ContainerError(reasonOf(error.status), `${subject}: ${error.message}`, { cause: error });
}

/** Statuses of a server, or of a proxy in front of it, that takes no calls for now. */
const busyStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function reasonOf(status: number): ContainerErrorReason {
  if (busyStatuses.has(status)) return "unreachable";
  // What the server finds invalid once, it always does.
  return status === 422 || status === 400 ? "refused" : "other";
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
