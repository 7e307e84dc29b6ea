import { isRegistered, needsOfApp } from "./compare-app.ts";
import type { PlanInput } from "./plan-input.ts";
import type { AppEntry } from "./platform-state.ts";
import type { LiveApp } from "./read-platform.ts";
import type { Change, Step } from "./step.ts";

/** Returns why steps cannot be done, as far as it is known before. */
export function blockersOf(input: PlanInput, steps: readonly Step[]): readonly string[] {
  const { file, live } = input;
  const byName = new Map(live.apps.map((app) => [app.name, app]));
  return [
    ...file.apps.flatMap((entry) => [
      ...missingRelease(input, entry, byName.get(entry.name)),
      ...unusedRelease(entry, byName.get(entry.name)),
      ...missingDependencies(input, entry, byName),
    ]),
    ...steps.flatMap(({ change }) => {
      if (change.kind === "set") return missingSecrets(input, change);
      return change.kind === "replace key" ? missingCertificate(input, change) : [];
    }),
  ];
}

/** Names what no folder has. Its developer has it. */
function missingRelease({ file, find, releases }: PlanInput, entry: AppEntry, live: LiveApp | undefined): readonly string[] {
  if (isRegistered(entry, live) || find(entry)) return [];
  const { name, version, manifest } = entry;
  return [
    `${file.placeOf(name)}: ${name} ${version} with the manifest ${manifest} is not registered, and ${lackText(releases)}`,
  ];
}

/** An installation takes the newest release. */
function unusedRelease({ name, version, manifest, state }: AppEntry, live: LiveApp | undefined): readonly string[] {
  if (live?.state !== "REGISTERED" || live.manifest === manifest || !live.releases.includes(manifest)) return [];
  if (state === "REGISTERED") return [];
  return [`${name} ${version} cannot be installed: an installation takes the newest release, and that is ${live.version}`];
}

function missingDependencies(
  { file, find }: PlanInput,
  entry: AppEntry,
  byName: ReadonlyMap<string, LiveApp>,
): readonly string[] {
  if (entry.state === "REGISTERED") return [];
  const missing = needsOfApp(entry, byName.get(entry.name), find).filter((need) => {
    const wanted = file.apps.find(({ name }) => name === need) ?? byName.get(need);
    return wanted === undefined || wanted.state === "REGISTERED";
  });
  return missing.map((need) => `${file.placeOf(entry.name)}: ${entry.name} needs ${need}, which would not be installed`);
}

function missingSecrets({ environment }: PlanInput, { app, secrets }: Extract<Change, { kind: "set" }>): readonly string[] {
  return Object.entries(secrets)
    .filter(([, variable]) => !environment[variable])
    .map(([key, variable]) => `${key} of ${app} is a secret that is not set: give its value in the variable ${variable}`);
}

function missingCertificate(
  { file, find, releases }: PlanInput,
  { app: name, manifest, certificate }: Extract<Change, { kind: "replace key" }>,
): readonly string[] {
  if (find({ name, manifest })?.hasCertificate) return [];
  return [`${file.placeOf(name)}: ${name} has another certificate than ${certificate}, and ${lackText(releases)}`];
}

function lackText(releases: string | undefined): string {
  return releases === undefined ? "no folder of releases is given (--releases)" : `${releases} does not have it`;
}
