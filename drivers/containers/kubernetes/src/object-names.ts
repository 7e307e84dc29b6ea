import { createHash } from "node:crypto";
import type { StorageOwner } from "@appserver/kernel/ports";

const longestWord = 27;

/**
 * Returns the name of the objects of a container, from the name that it was created with: `app-com-example-notes-1a2b3c4d`. It stays after
 * a rename. Unique in the namespace, and the name of a Service: letters, digits and hyphens, at most 63 characters with what is added.
 */
export function objectName(containerName: string): string {
  const word = containerName
    .replace(/^app-/, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longestWord)
    .replace(/^-+|-+$/g, "");
  return `app-${word}-${hashOf(containerName, 8)}`;
}

export const environmentSecret = (name: string): string => `${name}-env`;
export const identitySecret = (name: string): string => `${name}-identity`;

/** Returns the name of the policy for all pods of an installation. */
export function policyName(instance: string): string {
  return `installation-${hashOf(instance, 16)}`;
}

/** Returns the name of the claim for a storage, which the containers of the app follow each other in using. */
export function claimName({ instance, appId }: StorageOwner, storage: string): string {
  return `app-${hashOf(`${instance} ${appId}`, 16)}-${storage}`;
}

function hashOf(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}
