import { createHash } from "node:crypto";
import { type ContainerStatus, type ContainerView, type InstanceView, singleInstance } from "@appserver/kernel/ports";

/** Label with the app's port; the engine cannot distinguish it from other ports that the image exposes. */
export const portLabel = "appserver.port";

/** Label with the name that the container was created under; the engine does not remember it after a rename. */
export const createdAsLabel = "appserver.created-as";

/** The used fields of `GET /containers/{id}/json`. */
export interface InspectedContainer {
  readonly Id: string;
  readonly Name: string;
  readonly Image: string;
  readonly State: {
    readonly Status: string;
    readonly StartedAt?: string;
    readonly FinishedAt?: string;
    readonly ExitCode?: number;
    readonly OOMKilled?: boolean;
  };
  readonly Config: {
    readonly Image: string;
    readonly Env?: readonly string[] | null;
    readonly User?: string;
    readonly Labels: Readonly<Record<string, string>> | null;
  };
  readonly Mounts?: readonly { readonly Name?: string; readonly Destination?: string }[];
  readonly HostConfig: HostSettings & {
    readonly NetworkMode?: string;
    readonly ReadonlyRootfs?: boolean;
    readonly PortBindings?: Readonly<Record<string, unknown>> | null;
  };
  readonly NetworkSettings: {
    readonly Networks?: Readonly<Record<string, { readonly Aliases?: readonly string[] | null }>> | null;
    readonly Ports?: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[] | null>> | null;
  };
}

/** What `docker update` changes. Absent and null are 0: engines differ in it. */
interface HostSettings {
  readonly Memory?: number;
  readonly MemorySwap?: number;
  readonly MemoryReservation?: number;
  readonly CpuShares?: number;
  readonly NanoCpus?: number;
  readonly CpuQuota?: number;
  readonly CpusetCpus?: string;
  readonly PidsLimit?: number | null;
  readonly RestartPolicy?: { readonly Name: string };
}

const statusOf: Readonly<Record<string, ContainerStatus>> = {
  created: "created",
  running: "running",
  paused: "running",
  restarting: "running",
  removing: "removing",
  exited: "exited",
  dead: "exited",
};

/** Returns a container with its further instances. Its endpoint is that of the first one that runs. */
export function groupView(first: InspectedContainer, replicas: readonly InspectedContainer[]): ContainerView {
  const view = containerView(first);
  if (replicas.length === 0 || view.status === "removing") return view;
  const members = [first, ...replicas];
  const running = members.find((member) => statusIn(member) === "running");
  if (!running) return view;
  const { exitCode: _hasOthers, ...others } = view;
  const endpoint = endpointOf(running);
  const reached = endpoint === undefined ? {} : { endpoint };
  return { ...others, ...reached, status: "running", wanted: members.length, instances: members.map(instanceView) };
}

function instanceView(member: InspectedContainer): InstanceView {
  const { Id: id, State } = member;
  const started = startIn(State);
  if (statusIn(member) === "running") {
    const address = endpointOf(member)?.slice("http://".length);
    return { id, isReady: true, restarts: 0, ...started, ...(address === undefined ? {} : { address }) };
  }
  const at = new Date(State.FinishedAt ?? 0);
  const exit = State.ExitCode === undefined ? {} : { exitCode: State.ExitCode };
  const lastEnd = { at, ...exit, cause: State.OOMKilled ? "memory" : "exit" } as const;
  return { id, isReady: false, restarts: 0, ...started, ...(started.startedAt ? { lastEnd } : {}) };
}

function statusIn({ State }: InspectedContainer): ContainerStatus {
  return statusOf[State.Status] ?? "exited";
}

/** The engine reports "never" as the year 1. */
function startIn({ StartedAt }: InspectedContainer["State"]): { readonly startedAt?: Date } {
  return StartedAt && !StartedAt.startsWith("0001-") ? { startedAt: new Date(StartedAt) } : {};
}

export function containerView(container: InspectedContainer): ContainerView {
  const status = statusIn(container);
  const { ExitCode } = container.State;
  const endpoint = status === "running" ? endpointOf(container) : undefined;
  const reached = endpoint === undefined ? {} : { endpoint };
  const startedAt = startIn(container.State);
  return {
    id: container.Id,
    name: nameOf(container),
    status,
    labels: container.Config.Labels ?? {},
    // The container's reference contains the requested digest; without one, the image's own id is used.
    image: /sha256:[0-9a-f]{64}$/.exec(container.Config.Image)?.[0] ?? container.Image,
    fingerprint: fingerprintOf(container),
    ...startedAt,
    ...(status === "exited" && ExitCode !== undefined ? { exitCode: ExitCode } : {}),
    ...reached,
    ...singleInstance({ id: container.Id, status, ...startedAt, ...reached }),
  };
}

/** Other programs can only change limits and networks of a container. For everything else they need another one. */
function fingerprintOf({ Id, HostConfig: host, NetworkSettings }: InspectedContainer): string {
  const memory = [host.Memory, host.MemorySwap, host.MemoryReservation];
  const limits = [...memory, host.CpuShares, host.NanoCpus, host.CpuQuota, host.PidsLimit].map((limit) => limit ?? 0);
  const networks = Object.keys(NetworkSettings.Networks ?? {}).sort();
  const settings = JSON.stringify([Id, limits, host.CpusetCpus ?? "", host.RestartPolicy?.Name ?? "", networks]);
  return createHash("sha256").update(settings).digest("hex");
}

export function nameOf(container: InspectedContainer): string {
  return container.Name.replace(/^\//, "");
}

function endpointOf(container: InspectedContainer): string | undefined {
  const port = container.Config.Labels?.[portLabel];
  if (port === undefined) return undefined;
  if (!container.HostConfig.PortBindings?.[`${port}/tcp`]) return `http://${hostOf(container)}:${port}`;
  const binding = container.NetworkSettings.Ports?.[`${port}/tcp`]?.[0];
  return binding ? `http://${binding.HostIp}:${binding.HostPort}` : undefined;
}

/** Returns the host name on the network: the first name as long as it is an alias, so that a rename does not change it. */
function hostOf(container: InspectedContainer): string {
  const createdAs = container.Config.Labels?.[createdAsLabel];
  const networks = Object.values(container.NetworkSettings.Networks ?? {});
  const isAlias = createdAs !== undefined && networks.some(({ Aliases }) => Aliases?.includes(createdAs));
  return isAlias ? createdAs : nameOf(container);
}
