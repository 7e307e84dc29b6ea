import type { ErrorCode } from "@appserver/contracts/errors";
import type { CreatedLimits, Deployment, DeploymentRole } from "../domain/deployment.ts";
import type { DeploymentState } from "../domain/deployment-state.ts";
import type { HealthPlan } from "../domain/health-plan.ts";

/** A row of `orchestration.deployments`. */
export interface DeploymentRow {
  readonly id: string;
  readonly app_id: string;
  readonly app_name: string;
  readonly app_version: string;
  readonly generation: number;
  readonly manifest_digest: string;
  readonly operation_id: string | null;
  readonly role: DeploymentRole | null;
  readonly state: DeploymentState;
  readonly health_status: Deployment["healthStatus"];
  readonly final: boolean;
  readonly driver: string;
  readonly image: string;
  readonly image_digest: string | null;
  readonly container_name: string;
  readonly container_id: string | null;
  readonly endpoint: string | null;
  readonly error_code: ErrorCode | null;
  readonly error_message: string | null;
  readonly last_crash: { readonly at: string; readonly exitCode?: number; readonly output: readonly string[] } | null;
  readonly limits: CreatedLimits | null;
  readonly health_plan: HealthPlan | null;
  readonly restart_count: number;
  readonly restarts: readonly number[];
  readonly not_before: Date | null;
  readonly healthy_since: Date | null;
  readonly restart_requested_at: Date | null;
  readonly paused_at: Date | null;
  readonly configuration: string | null;
  readonly wanted_configuration: string | null;
  readonly progress: number | null;
  readonly progress_status: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function toDeployment(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    appId: row.app_id,
    appName: row.app_name,
    appVersion: row.app_version,
    generation: row.generation,
    manifestDigest: row.manifest_digest,
    operationId: row.operation_id ?? undefined,
    role: row.role ?? undefined,
    state: row.state,
    healthStatus: row.health_status,
    final: row.final,
    driver: row.driver,
    image: row.image,
    imageDigest: row.image_digest ?? undefined,
    containerName: row.container_name,
    containerId: row.container_id ?? undefined,
    endpoint: row.endpoint ?? undefined,
    lastError: row.error_code === null ? undefined : { code: row.error_code, message: row.error_message ?? "" },
    lastCrash:
      row.last_crash === null ? undefined : { exitCode: undefined, ...row.last_crash, at: new Date(row.last_crash.at) },
    limits: row.limits ?? undefined,
    healthPlan: row.health_plan ?? undefined,
    restartCount: row.restart_count,
    restarts: row.restarts,
    notBefore: row.not_before ?? undefined,
    healthySince: row.healthy_since ?? undefined,
    restartRequestedAt: row.restart_requested_at ?? undefined,
    pausedAt: row.paused_at ?? undefined,
    configuration: row.configuration ?? undefined,
    wantedConfiguration: row.wanted_configuration ?? undefined,
    progress: row.progress ?? undefined,
    progressStatus: row.progress_status ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/**
 * Returns the columns that a change writes, with their values. Columns that never change, and the progress columns, are not
 * included.
 */
export function changingColumns(deployment: Deployment): readonly (readonly [column: string, value: unknown])[] {
  return [
    ["role", deployment.role ?? null],
    ["state", deployment.state],
    ["health_status", deployment.healthStatus],
    ["final", deployment.final],
    ["image_digest", deployment.imageDigest ?? null],
    ["container_name", deployment.containerName],
    ["container_id", deployment.containerId ?? null],
    ["endpoint", deployment.endpoint ?? null],
    ["error_code", deployment.lastError?.code ?? null],
    ["error_message", deployment.lastError?.message ?? null],
    ["last_crash", jsonOf(deployment.lastCrash)],
    ["limits", jsonOf(deployment.limits)],
    ["health_plan", jsonOf(deployment.healthPlan)],
    ["restart_count", deployment.restartCount],
    ["restarts", JSON.stringify(deployment.restarts)],
    ["not_before", deployment.notBefore ?? null],
    ["paused_at", deployment.pausedAt ?? null],
    ["configuration", deployment.configuration ?? null],
    ["wanted_configuration", deployment.wantedConfiguration ?? null],
    ["healthy_since", deployment.healthySince ?? null],
    ["updated_at", deployment.updatedAt],
  ];
}

export function allColumns(deployment: Deployment): readonly (readonly [column: string, value: unknown])[] {
  return [
    ["id", deployment.id],
    ["app_id", deployment.appId],
    ["app_name", deployment.appName],
    ["app_version", deployment.appVersion],
    ["generation", deployment.generation],
    ["manifest_digest", deployment.manifestDigest],
    ["operation_id", deployment.operationId ?? null],
    ["driver", deployment.driver],
    ["image", deployment.image],
    ["created_at", deployment.createdAt],
    ...changingColumns(deployment),
  ];
}

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
