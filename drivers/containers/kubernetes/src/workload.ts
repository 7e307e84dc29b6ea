import { defaultContainerUser } from "@appserver/contracts/names";
import { type ContainerSpec, containerLabels, type StorageMount, type StorageOwner } from "@appserver/kernel/ports";
import { gateContainerOf, waitArguments } from "./network-gate.ts";
import { claimName, environmentSecret, identitySecret } from "./object-names.ts";
import { annotations, appContainer, managedBy, objectLabel, splitLabels, storageLabel } from "./objects.ts";
import { scalingOf } from "./scaling.ts";

/** What the operator chooses for all apps. */
export interface WorkloadOptions {
  readonly namespace: string;
  /** Names of Secrets with credentials of registries, in the namespace. */
  readonly pullSecrets: readonly string[];
  /** Undefined: the default class of the cluster. */
  readonly storageClass: string | undefined;
  /** How long a pod that ends still takes requests, until the proxies of all machines know that it ends. */
  readonly drainMs: number;
  /** Image of the platform, with the program that keeps an app from its start until its policies apply. Undefined: none does. */
  readonly gateImage?: string | undefined;
}

/** A pod whose machine is lost is replaced after this time. Kubernetes' own default is 300. */
const tolerationSeconds = 30;
const fullCpuShares = 1_024;
const milliCpuOfFullShares = 100;
const defaultStopGraceMs = 10_000;
const defaultStartTimeoutMs = 120_000;
const defaultStorageBytes = 1_024 ** 3;

/** Returns the Deployment of a container, with no instance yet. */
export function deploymentOf(name: string, spec: ContainerSpec, image: string, options: WorkloadOptions): object {
  const { labels, annotations: unlabelled } = splitLabels(spec.labels);
  const own = { ...labels, ...managedBy, [objectLabel]: name };
  const marks = { [annotations.container]: spec.name, [annotations.createdAs]: spec.name };
  const isRecreated = spec.storage?.some(({ isShared = false }) => !isShared) ?? false;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: options.namespace, labels: own, annotations: { ...unlabelled, ...marks } },
    spec: {
      replicas: 0,
      revisionHistoryLimit: 0,
      selector: { matchLabels: { [objectLabel]: name } },
      // A claim that only one machine may use cannot be given to a second pod before the first one ended.
      strategy: isRecreated
        ? { type: "Recreate" }
        : { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels: own }, spec: podSpec(name, spec, image, options) },
    },
  };
}

function podSpec(name: string, spec: ContainerSpec, image: string, options: WorkloadOptions): object {
  const { pullSecrets, drainMs, gateImage } = options;
  const storage = spec.storage ?? [];
  const owner = ownerOf(spec);
  const stopGraceMs = spec.supervision?.stopGraceMs ?? defaultStopGraceMs;
  return {
    automountServiceAccountToken: false,
    // The first process of a container has no default action for signals: it would ignore SIGTERM until it is killed.
    shareProcessNamespace: true,
    // Otherwise every Service of the namespace is in the environment of every app.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: graceSeconds(stopGraceMs, drainMs),
    securityContext: podSecurity(spec.user),
    tolerations: ["not-ready", "unreachable"].map((condition) => ({
      key: `node.kubernetes.io/${condition}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds,
    })),
    topologySpreadConstraints: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { [objectLabel]: name } },
    })),
    imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })),
    ...(gateImage === undefined ? {} : { initContainers: [gateContainerOf(gateImage, ...waitArguments(spec))] }),
    containers: [
      {
        name: appContainer,
        image,
        imagePullPolicy: "IfNotPresent",
        ports: [{ name: "http", containerPort: spec.port }],
        envFrom: [{ secretRef: { name: environmentSecret(name) } }],
        resources: resourcesOf(spec),
        securityContext: {
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: spec.readOnlyRoot,
          capabilities: { drop: ["ALL"] },
        },
        ...probesOf(spec),
        ...(drainMs > 0 ? { lifecycle: { preStop: { sleep: { seconds: Math.ceil(drainMs / 1_000) } } } } : {}),
        volumeMounts: [
          { name: "identity", mountPath: "/run/appserver", readOnly: true },
          { name: "tmp", mountPath: "/tmp" },
          ...storage.map(({ name: volume, mountPath }) => ({ name: `storage-${volume}`, mountPath })),
        ],
      },
    ],
    volumes: [
      // With the group, because the kubelet makes files for root.
      { name: "identity", secret: { secretName: identitySecret(name), defaultMode: 0o440 } },
      { name: "tmp", emptyDir: { medium: "Memory", sizeLimit: "64Mi" } },
      ...storage.map(({ name: volume }) => ({
        name: `storage-${volume}`,
        persistentVolumeClaim: { claimName: claimName(owner, volume) },
      })),
    ],
  };
}

/** Returns the user of a pod, and the limits of its level. */
export function podSecurity(declared = defaultContainerUser): object {
  const [user = 0, group = user] = (declared === "root" ? "0" : declared).split(":").map(Number);
  return {
    runAsNonRoot: user !== 0,
    runAsUser: user,
    runAsGroup: group,
    fsGroup: group,
    fsGroupChangePolicy: "OnRootMismatch",
    seccompProfile: { type: "RuntimeDefault" },
  };
}

/** Returns the seconds from the request for the end of a pod to its kill, so that the app has its grace after the pause. */
export function graceSeconds(graceMs: number, drainMs: number): number {
  return Math.ceil(graceMs / 1_000) + Math.ceil(drainMs / 1_000);
}

function resourcesOf({ memoryMb, cpuShares }: ContainerSpec): object {
  const memory = `${memoryMb}Mi`;
  const cpu = `${Math.max(10, Math.round((cpuShares / fullCpuShares) * milliCpuOfFullShares))}m`;
  return {
    requests: { cpu, memory, "ephemeral-storage": "64Mi" },
    limits: { memory, "ephemeral-storage": "256Mi" },
  };
}

function probesOf({ supervision }: ContainerSpec): object {
  const health = supervision?.health;
  if (!supervision || !health) return {};
  const { path, intervalMs, timeoutMs, threshold } = health;
  const check = { httpGet: { path, port: "http" }, timeoutSeconds: Math.max(1, Math.ceil(timeoutMs / 1_000)) };
  const startSeconds = Math.ceil((supervision.startTimeoutMs ?? defaultStartTimeoutMs) / 1_000);
  return {
    // The orchestrator ends a start that takes too long. The cluster only keeps requests away, and must not restart the app before that.
    startupProbe: { ...check, periodSeconds: 1, failureThreshold: 3 * startSeconds + 60 },
    readinessProbe: { ...check, periodSeconds: Math.max(1, Math.ceil(intervalMs / 1_000)), failureThreshold: threshold },
  };
}

/** Returns what belongs to a Deployment and goes with it. */
export function partsOf(name: string, spec: ContainerSpec, uid: string, { namespace }: WorkloadOptions): Parts {
  const metadata = (partName: string): PartMetadata => ({
    name: partName,
    namespace,
    labels: { ...splitLabels(spec.labels).labels, ...managedBy, [objectLabel]: name },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name, uid }],
  });
  const environment = { ...spec.environment };
  for (const { variable, mountPath } of spec.storage ?? []) environment[variable] = mountPath;
  const { budget, autoscaler } = scalingOf(name, spec.replicas ?? { min: 1, max: 1 });
  return {
    environment: secret(metadata(environmentSecret(name)), environment),
    identity: secret(metadata(identitySecret(name)), {}),
    service: {
      apiVersion: "v1",
      kind: "Service",
      metadata: metadata(name),
      spec: {
        type: "ClusterIP",
        selector: { [objectLabel]: name },
        ports: [{ name: "http", port: spec.port, targetPort: "http", protocol: "TCP" }],
      },
    },
    budget: { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: metadata(name), spec: budget },
    ...(autoscaler
      ? {
          autoscaler: {
            apiVersion: "autoscaling/v2",
            kind: "HorizontalPodAutoscaler",
            metadata: metadata(name),
            spec: autoscaler,
          },
        }
      : {}),
  };
}

export interface Parts {
  readonly environment: Secret;
  readonly identity: Secret;
  readonly service: {
    readonly apiVersion: "v1";
    readonly kind: "Service";
    readonly metadata: PartMetadata;
    readonly spec: object;
  };
  readonly budget: Part;
  readonly autoscaler?: Part;
}

interface Part {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: PartMetadata;
  readonly spec: object;
}

interface PartMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly object[];
}

interface Secret {
  readonly apiVersion: "v1";
  readonly kind: "Secret";
  readonly type: "Opaque";
  readonly metadata: PartMetadata;
  readonly data: Readonly<Record<string, string>>;
}

function secret(metadata: PartMetadata, texts: Readonly<Record<string, string>>): Secret {
  return { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata, data: encoded(texts) };
}

/** Returns the values in base64, as the API has them. */
export function encoded(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
}

/** Returns the claim for a storage. No object owns it: it outlives every container of the app. */
export function claimOf(
  owner: StorageOwner,
  { name: storage, sizeBytes = defaultStorageBytes, isShared = false }: StorageMount,
  { namespace, storageClass }: WorkloadOptions,
): object {
  const { labels } = splitLabels({ [containerLabels.instance]: owner.instance, [containerLabels.appId]: owner.appId });
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: claimName(owner, storage), namespace, labels: { ...labels, ...managedBy, [storageLabel]: storage } },
    spec: {
      accessModes: [isShared ? "ReadWriteMany" : "ReadWriteOnce"],
      ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
      resources: { requests: { storage: String(sizeBytes) } },
    },
  };
}

/** Returns the owner of the storage of a container. */
export function ownerOf({ labels }: Pick<ContainerSpec, "labels">): StorageOwner {
  return { instance: labels[containerLabels.instance] ?? "", appId: labels[containerLabels.appId] ?? "" };
}
