import type { KubernetesObject, ObjectMeta } from "./mirror.ts";

/** The used fields of a Deployment. */
export interface Deployment extends KubernetesObject {
  readonly spec: { readonly replicas?: number; readonly template: PodTemplate };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly observedGeneration?: number };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface PodTemplate {
  readonly metadata: Partial<Pick<ObjectMeta, "labels" | "annotations">>;
  readonly spec: PodSpec;
}

export interface PodSpec {
  readonly containers: readonly {
    readonly name: string;
    readonly image: string;
    readonly ports?: readonly { readonly containerPort: number }[];
    readonly resources?: { readonly limits?: { readonly memory?: string } };
  }[];
  readonly volumes?: readonly { readonly name: string; readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  readonly terminationGracePeriodSeconds?: number;
  readonly nodeName?: string;
}

/** The used fields of a Pod. */
export interface Pod extends KubernetesObject {
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerState[];
    readonly initContainerStatuses?: readonly ContainerState[];
  };
}

/** The state of a container of a pod. */
export interface ContainerState {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: {
    readonly running?: { readonly startedAt: string };
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
  readonly finishedAt: string;
}

/** The used fields of a Service. */
export interface Service extends KubernetesObject {
  readonly spec: { readonly clusterIP?: string };
}

/** The used fields of a PersistentVolumeClaim. */
export interface Claim extends KubernetesObject {
  readonly spec: { readonly accessModes?: readonly string[] };
}

export const appContainer = "app";

/** Annotations of a Deployment. */
export const annotations = {
  /** The name of the container in the port, which a rename changes. */
  container: "appserver.container",
  createdAs: "appserver.created-as",
  /** All parts of the container exist. */
  isComplete: "appserver.complete",
  startedAt: "appserver.started-at",
  /** Address of its Service. */
  endpoint: "appserver.endpoint",
} as const;

/** Annotation of a policy of one app: the name of the network in the port. */
export const networkAnnotation = "appserver.network";
/** Annotations of a pod: another value makes the kubelet read its Secrets again. */
export const identityAnnotation = "appserver.identity-at";
/** What `kubectl rollout restart` sets, too. */
export const restartAnnotation = "kubectl.kubernetes.io/restartedAt";

/** Label of every object of the driver. */
export const managedBy = { "app.kubernetes.io/managed-by": "appserver" } as const;
/** Selects every object of the driver. */
export const managedSelector: string = Object.entries(managedBy)
  .map(([name, value]) => `${name}=${value}`)
  .join(",");
/** Label of the pods, the Service and the Secrets of a container. */
export const objectLabel = "appserver.object";
/** Label of a claim: the name of the storage. */
export const storageLabel = "appserver.storage";

/** The values of these labels of the port have characters that no label of Kubernetes may have. They are annotations. */
export function splitLabels(labels: Readonly<Record<string, string>>): {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
} {
  const entries = Object.entries(labels);
  const isValue = (value: string): boolean => /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/.test(value);
  return {
    labels: Object.fromEntries(entries.filter(([, value]) => isValue(value))),
    annotations: Object.fromEntries(entries.filter(([, value]) => !isValue(value)).map(([name, value]) => [`${name}`, value])),
  };
}
