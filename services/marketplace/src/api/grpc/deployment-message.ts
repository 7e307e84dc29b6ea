import { messageOf } from "@appserver/contracts/messages";
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
import type { ExplainedDeployment } from "../../use-cases/read-app-parts.ts";
import { problemMessage } from "./messages.ts";

export function deploymentMessage(view: ExplainedDeployment): Deployment {
  return messageOf(DeploymentSchema, {
    ...view,
    state: DeploymentState[view.state],
    health: HealthState[view.healthStatus],
    lastError: view.lastError && problemMessage(view.lastError),
  });
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
