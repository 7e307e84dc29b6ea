import { ContainerError, ownerOf } from "@appserver/kernel/ports";
import type { ContainerRecord } from "./container-record.ts";

/** Throws for a name that cannot be a file name: names are used as such. */
export function checkName(name: string): void {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,127}$/.test(name))
    throw new ContainerError("other", `not a container name: ${JSON.stringify(name)}`);
}

/** The name belongs to a container of another owner. */
export function nameConflict({ name, labels }: ContainerRecord): ContainerError {
  return new ContainerError("name_conflict", `the container name ${name} is in use by ${ownerOf(labels)}`);
}

export function notFound(name: string): ContainerError {
  return new ContainerError("not_found", `no container ${name}`);
}
