import { ConfigError } from "@appserver/options";
import { platformGaps } from "@appserver/orchestration";

interface Conditions {
  readonly isEventBusEnabled: boolean;
  readonly areContainersEnabled: boolean;
  readonly encryptionKeys: readonly unknown[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A reason why the orchestrator does not start, independent of which services can be reached. */
export interface Refusal {
  /** One of the texts of docs/interface/errors.md#orchestrator-errors. */
  readonly text: string;
  /** The variable to set, with a value that resolves the refusal. */
  readonly remedy: string;
}

/** Returns all reasons why an orchestrator with this configuration does not start, in the order in which they are reported. */
export function orchestrateRefusals(conditions: Conditions, environment: Environment): readonly Refusal[] {
  const refusals: Refusal[] = [];
  if (!conditions.isEventBusEnabled)
    refusals.push({ text: "EventBus must be enabled", remedy: "APPSERVER_EVENTBUS_ENABLED=true" });
  if (!conditions.areContainersEnabled)
    refusals.push({ text: "Docker orchestration must be enabled", remedy: "APPSERVER_CONTAINERS_ENABLED=true" });
  const examples: Readonly<Record<string, string>> = {
    APPSERVER_DB_HOST: "the database's host",
    APPSERVER_GRAPHQL_HTTP: "where apps reach the platform, as in http://appserver:8080/graphql",
  };
  for (const { text, variable } of platformGaps(environment))
    refusals.push({ text, remedy: `${variable}: ${examples[variable] ?? "a value"}` });
  if (conditions.encryptionKeys.length === 0)
    refusals.push({
      text: "An encryption key is required: orchestrate needs the same APPSERVER_SETTINGS_ENCRYPTION_KEY as the servers",
      remedy: "APPSERVER_SETTINGS_ENCRYPTION_KEY to the value that serve has",
    });
  return refusals;
}

/** Throws ConfigError with the text of the first refusal. */
export function refuseFor([refusal]: readonly Refusal[]): void {
  if (refusal) throw new ConfigError(refusal.text);
}
