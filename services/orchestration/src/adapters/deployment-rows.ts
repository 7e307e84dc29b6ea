import type { Crash } from "@appserver/contracts/deployments";
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
  lastError: json,
  lastCrash: { ...json, read: toCrash },
  limits: json,
  healthPlan: json,
  restartCount: column,
  restarts: json,
  notBefore: column,
  healthySince: column,
  restartRequestedAt: column,
  pausedAt: column,
  configuration: column,
  wantedConfiguration: column,
  fingerprint: column,
  progress: column,
  progressStatus: column,
  createdAt: column,
  updatedAt: column,
});

/** Fields that a change of a deployment does not write. Requests of restarts and the progress of pulls are written alone. */
const unwritten: ReadonlySet<keyof Deployment> = new Set([...fixedFields, "restartRequestedAt", "progress", "progressStatus"]);

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

function toCrash(stored: unknown): Crash {
  const { at, ...crash } = stored as Omit<Crash, "at"> & { readonly at: string };
  return { ...crash, at: new Date(at) };
}
