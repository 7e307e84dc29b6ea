import {
  environmentNameGrammar,
  environmentNameLimit,
  isEnvironmentName,
  isReservedEnvironmentName,
} from "@appserver/contracts/names";
import { quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** Checks the variables of the container: constants and settings (docs/interface/manifest.md#environment). */
export function checkEnvironment(manifest: AppManifest, violations: Violations): void {
  const { environmentBytes } = manifestLimits;
  let bytes = 0;
  for (const [name, value] of Object.entries(manifest.environment)) {
    violations.none(nameProblem(name), isEnvironmentName(name) ? `environment.${name}` : "environment");
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  violations.check(
    bytes <= environmentBytes,
    "environment",
    `has ${bytes} bytes of names and values, at most ${environmentBytes} are accepted`,
  );
  checkSettingVariables(manifest, violations);
}

function checkSettingVariables({ environment, settings }: AppManifest, violations: Violations): void {
  const seen = new Map(Object.keys(environment).map((name) => [name, "environment"]));
  for (const [index, { env, key }] of (settings?.definitions ?? []).entries()) {
    if (env === undefined) continue;
    const field = `settings.definitions[${index}].env`;
    const owner = seen.get(env);
    violations.none(nameProblem(env), field);
    violations.check(owner === undefined, field, () => `${quote(env)} is also the variable of ${owner}`);
    seen.set(env, `the setting ${quote(key)}`);
  }
}

function nameProblem(name: string): string | undefined {
  if (!isEnvironmentName(name))
    return `the name of a variable must match ^${environmentNameGrammar}$ and have at most ${environmentNameLimit} characters, got ${quote(name)}`;
  return isReservedEnvironmentName(name) ? `${quote(name)} is reserved for the platform` : undefined;
}
