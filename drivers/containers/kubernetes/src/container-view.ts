import { createHash } from "node:crypto";
import {
  type ContainerStatus,
  type ContainerView,
  containerLabels,
  type InstanceEnd,
  type InstanceProblem,
  type InstanceView,
} from "@appserver/kernel/ports";
import type { KubernetesObject } from "./mirror.ts";
import { gateContainer } from "./network-gate.ts";
import { annotations, appContainer, type Deployment, type Pod, restartAnnotation, type Terminated } from "./objects.ts";

/** Returns a Deployment with all its pods as a container. */
export function containerView(deployment: Deployment, all: readonly Pod[]): ContainerView {
  const pods = all.filter(isAlive);
  const { metadata, spec } = deployment;
  const marks = metadata.annotations ?? {};
  const status = statusOf(deployment, pods);
  const startedAt = marks[annotations.startedAt];
  const endpoint = marks[annotations.endpoint];
  const problem = refusalOf(deployment) ?? (status === "running" && pods.length === 0 ? lastFailureOf(all) : undefined);
  return {
    id: metadata.uid,
    name: containerNameOf(deployment),
    status,
    labels: labelsOf(deployment),
    image: imageOf(deployment),
    fingerprint: fingerprintOf(deployment),
    wanted: spec.replicas ?? 1,
    instances: status === "running" ? pods.map(instanceView) : [],
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt) }),
    ...(status === "running" && endpoint !== undefined ? { endpoint } : {}),
    ...(problem ? { problem } : {}),
  };
}

export function containerNameOf({ metadata }: Deployment): string {
  return metadata.annotations?.[annotations.container] ?? metadata.name;
}

/** A pod that was evicted, or whose machine shut down, stays as an object: it has ended, and another one replaces it. */
export function isAlive({ status }: Pod): boolean {
  return status?.phase !== "Failed" && status?.phase !== "Succeeded";
}

/** Without it, a part of the container may be missing: a process was killed while it created it. */
export function isComplete({ metadata }: Deployment): boolean {
  return metadata.annotations?.[annotations.isComplete] !== undefined;
}

function statusOf(deployment: Deployment, pods: readonly Pod[]): ContainerStatus {
  const { metadata, spec } = deployment;
  if (metadata.deletionTimestamp !== undefined) return "removing";
  if ((spec.replicas ?? 1) > 0 || pods.length > 0) return "running";
  // An incomplete one cannot start. As one that has ended, the orchestrator creates it again, which completes it.
  return isComplete(deployment) && metadata.annotations?.[annotations.startedAt] === undefined ? "created" : "exited";
}

/** Returns the labels of the port: those whose values no label of Kubernetes may have are annotations. */
export function labelsOf({ metadata }: KubernetesObject): Readonly<Record<string, string>> {
  const own = new Set<string>(Object.values(containerLabels));
  const marks = Object.entries(metadata.annotations ?? {}).filter(([name]) => own.has(name));
  return { ...metadata.labels, ...Object.fromEntries(marks) };
}

function imageOf({ spec }: Deployment): string {
  const image = spec.template.spec.containers.find(({ name }) => name === appContainer)?.image ?? "";
  return /sha256:[0-9a-f]{64}$/.exec(image)?.[0] ?? image;
}

/** A restart changes an annotation of the template, and nothing else. The number of instances is corrected, not a change. */
function fingerprintOf({ metadata, spec }: Deployment): string {
  const { [restartAnnotation]: _, ...marks } = spec.template.metadata.annotations ?? {};
  const template = JSON.stringify([metadata.uid, spec.template.metadata.labels, marks, spec.template.spec]);
  return createHash("sha256").update(template).digest("hex");
}

function instanceView(pod: Pod): InstanceView {
  const { metadata, spec, status } = pod;
  const address = addressOf(pod);
  const state = status?.containerStatuses?.find(({ name }) => name === appContainer);
  const isReady = status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
  const startedAt = state?.state?.running?.startedAt;
  const ended = state?.lastState?.terminated ?? state?.state?.terminated;
  const problem = isReady ? undefined : podProblem(pod);
  return {
    id: metadata.uid,
    ...(spec.nodeName === undefined ? {} : { place: spec.nodeName }),
    ...(address === undefined ? {} : { address }),
    isReady: isReady && metadata.deletionTimestamp === undefined,
    restarts: state?.restartCount ?? 0,
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt) }),
    ...(ended ? { lastEnd: endOf(ended) } : {}),
    ...(problem ? { problem } : {}),
  };
}

function addressOf({ spec, status }: Pod): string | undefined {
  const ip = status?.podIP;
  const port = spec.containers.find(({ name }) => name === appContainer)?.ports?.[0]?.containerPort;
  if (ip === undefined || port === undefined) return undefined;
  return `${ip.includes(":") ? `[${ip}]` : ip}:${port}`;
}

function endOf({ exitCode, reason, finishedAt }: Terminated): InstanceEnd {
  return { at: new Date(finishedAt), exitCode, cause: reason === "OOMKilled" ? "memory" : "exit" };
}

/** Reasons of the kubelet for a container that waits, and whether waiting helps. */
const waitingReasons: Readonly<Record<string, Pick<InstanceProblem, "code" | "isFinal">>> = {
  ErrImagePull: { code: "UPSTREAM_ERROR", isFinal: false },
  ImagePullBackOff: { code: "UPSTREAM_ERROR", isFinal: false },
  InvalidImageName: { code: "INVALID_REQUEST", isFinal: true },
  CreateContainerConfigError: { code: "UPSTREAM_ERROR", isFinal: false },
  CreateContainerError: { code: "UPSTREAM_ERROR", isFinal: false },
  RunContainerError: { code: "UPSTREAM_ERROR", isFinal: false },
};

/** Returns why a pod does not run, or is not ready. */
export function podProblem({ status }: Pod): InstanceProblem | undefined {
  const placed = status?.conditions?.find(({ type, status: value }) => type === "PodScheduled" && value === "False");
  if (placed) return { code: "SERVICE_UNAVAILABLE", message: placed.message ?? "no machine takes it", isFinal: false };
  for (const { state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const { reason = "", message } = state?.waiting ?? {};
    const known = waitingReasons[reason];
    if (known) return { ...known, message: message === undefined ? reason : `${reason}: ${message}` };
  }
  return gateProblemOf(status);
}

/** Returns why the gate in front of the app ended, until it lets the app start. */
function gateProblemOf(status: Pod["status"]): InstanceProblem | undefined {
  const gate = status?.initContainerStatuses?.find(({ name }) => name === gateContainer);
  if (!gate || gate.state?.terminated?.exitCode === 0) return undefined;
  const ended = gate.state?.terminated ?? gate.lastState?.terminated;
  if (!ended) return undefined;
  const message = ended.message?.trim() || `${gateContainer} ended with exit code ${ended.exitCode}`;
  return { code: "SERVICE_UNAVAILABLE", message, isFinal: false };
}

/** Returns why the last pod ended, if the cluster ended it: an eviction, or a machine that did not take it. */
function lastFailureOf(pods: readonly Pod[]): InstanceProblem | undefined {
  const failed = pods.filter(({ status }) => status?.phase === "Failed");
  const last = failed.toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))[0];
  const { reason, message } = last?.status ?? {};
  const texts = [reason, message].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : { code: "SERVICE_UNAVAILABLE", message: texts.join(": "), isFinal: false };
}

/** Returns why no pod is made: a quota, or the rules of the namespace. Only the latter are not cured by waiting. */
export function refusalOf({ status }: Deployment): InstanceProblem | undefined {
  const failure = status?.conditions?.find(({ type, status: value }) => type === "ReplicaFailure" && value === "True");
  if (!failure) return undefined;
  const message = failure.message ?? failure.reason ?? "the cluster makes no pod";
  const isFinal = message.includes("violates PodSecurity");
  return { code: isFinal ? "PERMISSION_DENIED" : "SERVICE_UNAVAILABLE", message, isFinal };
}
