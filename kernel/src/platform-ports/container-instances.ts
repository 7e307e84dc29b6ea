import type { ErrorCode } from "@appserver/contracts/errors";
import { ContainerError } from "./container-error.ts";

/** What a container engine does by itself. Callers read it instead of the name of the driver. */
export interface EngineAbilities {
  /** Whether containers keep running after `close` of the runtime. */
  readonly outlivesProcess: boolean;
  /** `engine`: it restarts an instance that ended, and counts that in {@link InstanceView.restarts}. */
  readonly restarts: "orchestrator" | "engine";
  /** `engine`: {@link InstanceView.isReady} is the result of its own checks of `ContainerSpec.supervision.health`. */
  readonly health: "orchestrator" | "engine";
  /** `atStart`: an image is pulled when an instance starts, and `pull` only resolves its digest, without progress. */
  readonly pulls: "before" | "atStart";
  /** The most instances that one container may have. */
  readonly maxReplicas: number;
  /** Whether the output of a container can be read after it was stopped. */
  readonly keepsOutputOfStopped: boolean;
  /** Whether it reads, writes and copies the contents of storage. Else these calls reject. */
  readonly copiesStorage: boolean;
}

/** How many instances an app wants, 1 or more. The number is `min` unless the engine changes it by itself. */
export interface ContainerReplicas {
  readonly min: number;
  readonly max: number;
  /** Use of the requested processor time, in percent, above which an engine that can adds instances. Undefined: its own default. */
  readonly cpuPercent?: number;
}

/** Of an engine that runs each container as one instance, which the orchestrator supervises. */
export const plainAbilities = {
  restarts: "orchestrator",
  health: "orchestrator",
  pulls: "before",
  maxReplicas: 1,
  keepsOutputOfStopped: true,
  copiesStorage: true,
} as const satisfies Omit<EngineAbilities, "outlivesProcess">;

/** Why an instance does not run or is not ready. */
export interface InstanceProblem {
  readonly code: ErrorCode;
  /** For people: "the node is out of memory". */
  readonly message: string;
  /** Whether it never becomes ready as it is: the engine refuses it. */
  readonly isFinal: boolean;
}

/** How an instance ended. `memory`: the engine ended it, because it used more than its limit. */
export interface InstanceEnd {
  readonly at: Date;
  readonly exitCode?: number;
  readonly cause: "exit" | "memory";
}

/** One of the copies that a container runs as. An engine may replace one by another one with another id at any time. */
export interface InstanceView {
  readonly id: string;
  /** The machine that runs it. Undefined if the engine has one machine, or has not chosen yet. */
  readonly place?: string;
  /** `10.244.1.7:3000`. Undefined until it has one. */
  readonly address?: string;
  /** Whether it can take requests. If the orchestrator checks the health, every instance that runs is ready. */
  readonly isReady: boolean;
  /** Undefined until it has started. */
  readonly startedAt?: Date;
  /** How often the engine has restarted this instance after it had ended by itself. 0 if the orchestrator restarts containers. */
  readonly restarts: number;
  /** Its last end before a restart. */
  readonly lastEnd?: InstanceEnd;
  readonly problem?: InstanceProblem;
}

/** Returns the instances of a container of an engine with {@link plainAbilities}. */
export function singleInstance(container: {
  readonly id: string;
  readonly status: string;
  readonly startedAt?: Date;
  readonly endpoint?: string;
}): { readonly wanted: number; readonly instances: readonly InstanceView[] } {
  if (container.status !== "running") return { wanted: 0, instances: [] };
  const { id, startedAt, endpoint } = container;
  const address = endpoint === undefined ? {} : { address: endpoint.slice("http://".length) };
  return { wanted: 1, instances: [{ id, isReady: true, restarts: 0, ...(startedAt ? { startedAt } : {}), ...address }] };
}

/** Throws a ContainerError with reason `refused` if the driver cannot run so many instances. */
export function checkReplicas(driver: string, { maxReplicas }: EngineAbilities, replicas: number): void {
  if (Number.isInteger(replicas) && replicas >= 1 && replicas <= maxReplicas) return;
  const expected = maxReplicas === 1 ? "1" : `from 1 to ${maxReplicas}`;
  throw new ContainerError(
    "refused",
    `the driver ${driver} cannot run ${replicas} instances of a container; expected ${expected}`,
  );
}
