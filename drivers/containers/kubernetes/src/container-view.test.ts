import assert from "node:assert/strict";
import { test } from "node:test";
import { containerView } from "./container-view.ts";
import { gateContainer } from "./network-gate.ts";
import { annotations, appContainer, type ContainerState, type Deployment, type Pod, restartAnnotation } from "./objects.ts";

const digest = `sha256:${"a".repeat(64)}`;

function deployment(
  replicas: number,
  marks: Readonly<Record<string, string>> = {},
  more: Partial<Deployment["metadata"]> = {},
  status?: Deployment["status"],
): Deployment {
  const template = { metadata: {}, spec: { containers: [{ name: appContainer, image: `registry/app@${digest}` }] } };
  const metadata = { name: "app-x", uid: "u", resourceVersion: "1", creationTimestamp: "", annotations: marks, ...more };
  return { metadata, spec: { replicas, template }, ...(status ? { status } : {}) };
}

function pod(state: Partial<ContainerState>, ...conditions: NonNullable<NonNullable<Pod["status"]>["conditions"]>): Pod {
  const containerStatuses = [{ name: appContainer, ready: false, restartCount: 0, ...state }];
  const metadata = { name: "p", uid: "p", resourceVersion: "1", creationTimestamp: "" };
  return { metadata, spec: { containers: [] }, status: { conditions, containerStatuses } };
}

test("the status follows from what is wanted and what exists", () => {
  const complete = { [annotations.isComplete]: "true" };
  const started = { ...complete, [annotations.startedAt]: "2026-01-01T00:00:00.000Z" };
  const statusOf = (...args: Parameters<typeof containerView>): string => containerView(...args).status;
  assert.equal(statusOf(deployment(0, complete), []), "created");
  assert.equal(statusOf(deployment(0), []), "exited", "a process was killed while it created it: it must be created again");
  assert.equal(statusOf(deployment(1, started), []), "running");
  assert.equal(statusOf(deployment(0, started), [pod({})]), "running");
  assert.equal(statusOf(deployment(0, started), []), "exited");
  assert.equal(statusOf(deployment(1, started, { deletionTimestamp: "now" }), []), "removing");
  assert.equal(containerView(deployment(0), []).image, digest);
});

test("an instance has its last end and the reason why it is not ready", () => {
  const instance = (given: Pod) => containerView(deployment(1), [given]).instances[0];
  const finishedAt = "2026-01-01T00:00:00Z";
  const killed = pod({ restartCount: 2, lastState: { terminated: { exitCode: 137, reason: "OOMKilled", finishedAt } } });
  assert.partialDeepStrictEqual(instance(killed), { restarts: 2, lastEnd: { exitCode: 137, cause: "memory" } });
  const waiting = pod({ state: { waiting: { reason: "ErrImagePull", message: "not there" } } });
  assert.deepEqual(instance(waiting)?.problem, { code: "UPSTREAM_ERROR", message: "ErrImagePull: not there", isFinal: false });
  const unplaced = pod(
    {},
    { type: "PodScheduled", status: "False", message: "0/2 nodes are available: 2 Insufficient memory." },
  );
  assert.match(instance(unplaced)?.problem?.message ?? "", /Insufficient memory/);
  const ready = pod({ state: { running: { startedAt: finishedAt } } }, { type: "Ready", status: "True" });
  assert.deepEqual([instance(ready)?.isReady, instance(ready)?.problem], [true, undefined]);
  const ports = [{ containerPort: 3000 }];
  const placed = { ...ready, spec: { nodeName: "node-2", containers: [{ name: appContainer, image: "", ports }] } };
  const at = (podIP: string) => instance({ ...placed, status: { ...placed.status, podIP } });
  assert.deepEqual([at("10.0.0.7")?.place, at("10.0.0.7")?.address], ["node-2", "10.0.0.7:3000"]);
  assert.equal(at("fd00::7")?.address, "[fd00::7]:3000");
  const ending = { ...ready, metadata: { ...ready.metadata, deletionTimestamp: "now" } };
  assert.equal(instance(ending)?.isReady, false, "it takes no new requests");
});

test("a pod that does not pass the gate says why, until it has passed", () => {
  const given = (gate: Partial<ContainerState>): Pod => {
    const initContainerStatuses = [{ name: gateContainer, ready: false, restartCount: 0, ...gate }];
    const { metadata, spec, status } = pod({});
    return { metadata, spec, status: { ...status, initContainerStatuses } };
  };
  const failed = { terminated: { exitCode: 1, message: "no NetworkPolicy applies\n", finishedAt: "2026-01-01T00:00:00Z" } };
  const problemOf = (gate: Partial<ContainerState>) => containerView(deployment(1), [given(gate)]).instances[0]?.problem;
  const problem = { code: "SERVICE_UNAVAILABLE", message: "no NetworkPolicy applies", isFinal: false };
  assert.deepEqual(problemOf({ state: failed }), problem);
  assert.deepEqual(problemOf({ state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: failed }), problem);
  const passed = { terminated: { exitCode: 0, finishedAt: "2026-01-01T00:00:00Z" } };
  assert.equal(problemOf({ state: passed, lastState: failed }), undefined);
});

test("a pod that was evicted is no instance, and the problem only while no other one is there", () => {
  const started = { [annotations.isComplete]: "true", [annotations.startedAt]: "2026-01-01T00:00:00.000Z" };
  const evicted: Pod = { ...pod({}), status: { phase: "Failed", reason: "Evicted", message: "The node was low on memory." } };
  assert.equal(containerView(deployment(0, started), [evicted]).status, "exited");
  const alone = containerView(deployment(1, started), [evicted]);
  assert.deepEqual([alone.instances, alone.problem?.message], [[], "Evicted: The node was low on memory."]);
  const replaced = containerView(deployment(1, started), [evicted, pod({})]);
  assert.deepEqual([replaced.instances.length, replaced.problem], [1, undefined]);
});

test("a pod that the rules of the namespace refuse is a final problem, a quota is not", () => {
  const problemOf = (message: string) =>
    containerView(deployment(1, {}, {}, { conditions: [{ type: "ReplicaFailure", status: "True", message }] }), []).problem;
  assert.equal(problemOf(`pods "x" is forbidden: violates PodSecurity "restricted:v1.30"`)?.isFinal, true);
  assert.equal(problemOf(`pods "x" is forbidden: exceeded quota`)?.isFinal, false);
});

test("a restart and another number of instances do not change the fingerprint, another image does", () => {
  const one = deployment(1);
  const { fingerprint } = containerView(one, []);
  const marks = { annotations: { [restartAnnotation]: "now" } };
  const restarted = { ...one, spec: { ...one.spec, replicas: 3, template: { ...one.spec.template, metadata: marks } } };
  assert.equal(containerView(restarted, []).fingerprint, fingerprint);
  const other = { ...one.spec.template, spec: { containers: [{ name: appContainer, image: "other" }] } };
  assert.notEqual(containerView({ ...one, spec: { ...one.spec, template: other } }, []).fingerprint, fingerprint);
});
