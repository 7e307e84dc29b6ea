import type { DeploymentInstance } from "@appserver/contracts/deployments";
import type { Deployment } from "../domain/deployment.ts";
import type { ContainerView, InstanceView } from "../ports.ts";

type Recorded = Required<Pick<Deployment, "wantedInstances" | "instances">>;

const maxProblemLength = 500;

/** Returns what the record of a deployment has of the instances of its container, sorted by id. */
export function recordedInstances({ wanted, instances }: Pick<ContainerView, "wanted" | "instances">): Recorded {
  const sorted = instances.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { wantedInstances: wanted, instances: sorted.map(recorded) };
}

function recorded({ id, place, address, isReady, startedAt, restarts, lastEnd, problem }: InstanceView): DeploymentInstance {
  return {
    id,
    place,
    address,
    ready: isReady,
    startedAt,
    restarts,
    lastEnd,
    problem: problem && storable(problem.message),
  };
}

/** A cut may leave half a character, and PostgreSQL stores neither that nor a zero. */
function storable(message: string): string {
  return message.slice(0, maxProblemLength).toWellFormed().replaceAll("\0", "");
}

/** Returns whether the record has the instances as they are. */
export function areRecorded({ wantedInstances, instances }: Deployment, container: ContainerView): boolean {
  const found = recordedInstances(container);
  return wantedInstances === found.wantedInstances && textOf(instances) === textOf(found.instances);
}

function textOf(instances: Deployment["instances"] = []): string {
  return JSON.stringify(
    instances.map(({ id, place, address, ready, startedAt, restarts, lastEnd, problem }) => {
      const { at, exitCode, cause } = lastEnd ?? {};
      return [id, place, address, ready, startedAt, restarts, at, exitCode, cause, problem];
    }),
  );
}
