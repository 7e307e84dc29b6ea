const prefix = "app-";

/**
 * Returns `app-<name>`: the container's name and its host name on the platform's network (docs/interface/containers.md#names).
 */
export function containerName(appName: string): string {
  return prefix + appName;
}

/** Returns the app whose container has this name, the inverse of {@link containerName}. Undefined for other containers. */
export function appOfContainer(name: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}
