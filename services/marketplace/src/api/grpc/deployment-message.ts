import type { DeploymentEvent as StoredEvent } from "@appserver/contracts/deployments";
import { messageOf } from "@appserver/contracts/messages";
import { AppState, HealthState } from "@appserver/contracts/proto/appserver/v2/common";
import {
  type AppTransition,
  AppTransitionSchema,
  type Deployment,
  type DeploymentEvent,
  DeploymentEventSchema,
  DeploymentSchema,
  DeploymentState,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
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

export function deploymentEventMessage({ from, to, error, ...event }: StoredEvent): DeploymentEvent {
  return messageOf(DeploymentEventSchema, {
    ...event,
    from: DeploymentState[from ?? "UNSPECIFIED"],
    to: DeploymentState[to],
    error: error && problemMessage(error),
  });
}

export function transitionMessage({ from, to, actor, ...transition }: StoredTransition): AppTransition {
  return messageOf(AppTransitionSchema, { ...transition, actor, from: AppState[from ?? "UNSPECIFIED"], to: AppState[to] });
}
