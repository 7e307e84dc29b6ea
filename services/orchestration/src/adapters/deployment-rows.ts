import type { AppFault, Crash, DeploymentFault, DeploymentInstance, InstanceEnd } from "@appserver/contracts/deployments";
import { column, columns, json } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { type Deployment, fixedFields } from "../domain/deployment.ts";

/** The columns of `orchestration.deployments`. */
export const deployments = columns<Deployment>({
  id: column,
  appId: column,
  appName: column,
  appVersion: column,
  generation: column,
  manifestDigest: column,
  operationId: column,
  role: column,
  state: column,
  healthStatus: column,
  final: column,
  driver: column,
  image: column,
  imageDigest: column,
  containerName: column,
  containerId: column,
  endpoint: column,
  wantedInstances: column,
  instances: { ...json, read: toInstances },
  degradedSince: column,
  lastError: json,
  fault: { ...json, read: toFault },
  lastCrash: { ...json, read: toCrash },
  limits: json,
  healthPlan: json,
  restartCount: column,
  restarts: json,
  instanceRestarts: json,
  notBefore: column,
  healthySince: column,
  restartRequestedAt: column,
  sleepRequestedAt: column,
  wakeRequestedAt: column,
  pausedAt: column,
  configuration: column,
  wantedConfiguration: column,
  fingerprint: column,
  progress: column,
  progressStatus: column,
  createdAt: column,
  updatedAt: column,
});

/** Fields that a change of a deployment does not write. Requests and the progress of pulls are written alone. */
const unwritten: ReadonlySet<keyof Deployment> = new Set([
  ...fixedFields,
  "restartRequestedAt",
  "sleepRequestedAt",
  "wakeRequestedAt",
  "progress",
  "progressStatus",
]);

/** The fields that a change of a deployment writes. */
export const changingFields: readonly (keyof Deployment)[] = deployments.fields.filter((field) => !unwritten.has(field));

export async function selectDeployments(
  database: SqlExecutor,
  condition: string,
  ...parameters: readonly unknown[]
): Promise<readonly Deployment[]> {
  const statement = `select ${deployments.selected} from orchestration.deployments ${condition}`;
  return (await database.query<object>(statement, parameters)).rows.map(deployments.record);
}

/** Returns the faults of the deployments with a role, of one app or of all, oldest first. */
export async function selectFaults(database: SqlExecutor, appId?: string): Promise<readonly AppFault[]> {
  const { rows } = await database.query<{ readonly appId: string; readonly appName: string; readonly fault: unknown }>(
    `select app_id as "appId", app_name as "appName", fault from orchestration.deployments
     where role is not null and fault is not null and ($1::uuid is null or app_id = $1) order by fault ->> 'since', id`,
    [appId ?? null],
  );
  return rows.map(({ fault, ...app }) => ({ ...app, ...toFault(fault) }));
}

function toFault(stored: unknown): DeploymentFault {
  const { since, ...fault } = stored as Omit<DeploymentFault, "since"> & { readonly since: string };
  return { ...fault, since: new Date(since) };
}

export function toInstances(stored: unknown): readonly DeploymentInstance[] {
  return (stored as readonly StoredInstance[]).map(({ startedAt, lastEnd, ...instance }) => ({
    ...instance,
    startedAt: startedAt === undefined ? undefined : new Date(startedAt),
    lastEnd: lastEnd && { ...lastEnd, at: new Date(lastEnd.at) },
  }));
}

type StoredInstance = Omit<DeploymentInstance, "startedAt" | "lastEnd"> & {
  readonly startedAt?: string;
  readonly lastEnd?: Omit<InstanceEnd, "at"> & { readonly at: string };
};

function toCrash(stored: unknown): Crash {
  const { at, ...crash } = stored as Omit<Crash, "at"> & { readonly at: string };
  return { ...crash, at: new Date(at) };
}
