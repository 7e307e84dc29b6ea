import { containerName } from "@appserver/contracts/names";
import { AppError } from "@appserver/kernel";

/**
 * Returns `UPSTREAM_` and the name in upper case, with dots and hyphens as underscores (docs/interface/containers.md#names).
 */
export function upstreamVariable(appName: string): string {
  return `UPSTREAM_${appName.replaceAll(/[.-]/g, "_").toUpperCase()}`;
}

/** Returns the address of the app on the platform's network. */
export function networkAddress(appName: string, port: number): string {
  return `http://${containerName(appName)}:${port}`;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Throws CONFLICT if an app that was registered earlier has the same `UPSTREAM_` variable under another name. `a.b` and `a-b`
 * share a variable, and a caller of one would reach the other. The ids are UUIDv7, so the smaller id is the earlier one.
 */
export function refuseAmbiguousName(app: Named, installed: readonly Named[]): void {
  const variable = upstreamVariable(app.name);
  const earlier = installed.find(({ id, name }) => name !== app.name && id < app.id && upstreamVariable(name) === variable);
  if (!earlier) return;
  throw new AppError("CONFLICT", `${app.name} and ${earlier.name} would both be ${variable}; rename one of them`, {
    details: { variable, apps: [earlier.name, app.name] },
  });
}
