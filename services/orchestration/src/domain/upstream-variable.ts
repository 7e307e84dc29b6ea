import { AppError } from "@appserver/kernel";

/** `UPSTREAM_` and the name, dots and hyphens as underscores, in upper case (docs/interface/containers.md#names). */
export function upstreamVariable(appName: string): string {
  return `UPSTREAM_${appName.replaceAll(/[.-]/g, "_").toUpperCase()}`;
}

/** `app-<name>`: the container's name and, on the platform's network, its host name (docs/interface/containers.md#names). */
export function containerName(appName: string): string {
  return `app-${appName}`;
}

/** The app whose container has this name, {@link containerName} the other way round; undefined for another container. */
export function appOfContainer(name: string): string | undefined {
  return name.startsWith("app-") ? name.slice("app-".length) : undefined;
}

/** Where the app answers on the platform's network. */
export function networkAddress(appName: string, port: number): string {
  return `http://${containerName(appName)}:${port}`;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Throws CONFLICT when an app that was registered earlier has the same `UPSTREAM_` variable under another name: `a.b` and
 * `a-b` could not be told apart, and a caller of one would reach the other. The ids are UUIDv7, so the smaller is the earlier.
 */
export function refuseAmbiguousName(app: Named, installed: readonly Named[]): void {
  const variable = upstreamVariable(app.name);
  const earlier = installed.find(({ id, name }) => name !== app.name && id < app.id && upstreamVariable(name) === variable);
  if (!earlier) return;
  throw new AppError("CONFLICT", `${app.name} and ${earlier.name} would both be ${variable}; rename one of them`, {
    details: { variable, apps: [earlier.name, app.name] },
  });
}
