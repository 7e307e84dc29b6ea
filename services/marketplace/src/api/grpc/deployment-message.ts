import { AppState, HealthState } from "@appserver/contracts/proto/appserver/v2/common";
import {
  type AppTransition,
  AppTransitionSchema,
  type Deployment,
  DeploymentSchema,
  DeploymentState,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AppTransition as StoredTransition } from "../../domain/app.ts";
import type { DeploymentCrash } from "../../ports.ts";
import type { ExplainedDeployment } from "../../use-cases/read-app-parts.ts";
import { problemMessage } from "./messages.ts";

export function deploymentMessage(view: ExplainedDeployment): Deployment {
  const { id, appVersion, generation, driver, image, containerName, restartCount } = view;
  return create(DeploymentSchema, {
    ...{ id, appVersion, generation, driver, image, containerName, restartCount },
    state: DeploymentState[view.state as keyof typeof DeploymentState],
    health: HealthState[view.healthStatus],
    ...(view.imageDigest === undefined ? {} : { imageDigest: view.imageDigest }),
    ...(view.containerId === undefined ? {} : { containerId: view.containerId }),
    ...(view.endpoint === undefined ? {} : { endpoint: view.endpoint }),
    outOfDate: view.wantedConfiguration !== undefined,
    ...(view.lastError ? { lastError: problemMessage(view.lastError) } : {}),
    ...(view.reason === undefined ? {} : { reason: view.reason }),
    ...(view.lastCrash ? { lastCrash: crash(view.lastCrash) } : {}),
    ...(view.limits ? { limits: view.limits } : {}),
    ...(view.healthPlan?.path ? { healthCheck: { ...view.healthPlan, path: view.healthPlan.path } } : {}),
    createdAt: timestampFromDate(view.createdAt),
    updatedAt: timestampFromDate(view.updatedAt),
  });
}

function crash({ at, exitCode, output }: DeploymentCrash) {
  return { at: timestampFromDate(at), ...(exitCode === undefined ? {} : { exitCode }), output: [...output] };
}

export function transitionMessage({ from, to, reason, actor, at }: StoredTransition): AppTransition {
  return create(AppTransitionSchema, {
    ...(from === undefined ? {} : { from: AppState[from] }),
    to: AppState[to],
    reason,
    ...(actor === undefined ? {} : { actor }),
    at: timestampFromDate(at),
  });
}
