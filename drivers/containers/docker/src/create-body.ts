import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { createdAsLabel, type InspectedContainer, nameOf, portLabel } from "./container-view.ts";
import { hardenedHostConfig } from "./hardened-host-config.ts";
import { identityPath } from "./identity-files.ts";
import { replicaLabel, replicaName, replicaOfLabel } from "./replicas.ts";
import { storageMountsOf, storageVariables } from "./volume-mounts.ts";

const megabyte = 1024 * 1024;

/** Returns the body that creates a container. `image`: the reference under which the engine has its image. */
export function createBody(spec: ContainerSpec, image: string, init: boolean): object {
  return {
    Image: image,
    Env: Object.entries({ ...spec.environment, ...storageVariables(spec) }).map(([name, value]) => `${name}=${value}`),
    // Otherwise a label of the image would make the app a gateway, which is connected to the networks of all apps.
    Labels: { [containerLabels.gateway]: "", ...spec.labels, [portLabel]: String(spec.port), [createdAsLabel]: spec.name },
    ...(spec.user === undefined ? {} : { User: spec.user }),
    ExposedPorts: { [`${spec.port}/tcp`]: {} },
    HostConfig: hardenedHostConfig(spec, init),
    ...(spec.aliases ? { NetworkingConfig: networksOf(spec) } : {}),
  };
}

/**
 * Returns the body that creates another instance of a container, from what the engine has of the first one. It has the same identity: the
 * volume of the first instance, so that a renewed certificate is there at once and no key is read. Its own name stays an alias, as its
 * endpoint keeps it.
 */
export function replicaBody(first: InspectedContainer, number: number, init: boolean): object {
  const { Config, HostConfig, Image, Id, Mounts = [] } = first;
  const labels = Config.Labels ?? {};
  const port = Number(labels[portLabel]);
  const name = replicaName(nameOf(first), number);
  const spec = {
    name,
    labels,
    aliases: [name],
    image: Image,
    environment: {},
    network: networkOf(first),
    port,
    endpoint: HostConfig.PortBindings?.[`${port}/tcp`] ? "publish" : "network",
    memoryMb: Math.floor((HostConfig.Memory ?? 0) / megabyte),
    cpuShares: HostConfig.CpuShares ?? 0,
    pidsLimit: HostConfig.PidsLimit ?? 0,
    readOnlyRoot: HostConfig.ReadonlyRootfs ?? true,
    storage: storageMountsOf(labels, Mounts),
  } satisfies ContainerSpec;
  const identity = Mounts.find(({ Destination }) => Destination === identityPath)?.Name;
  return {
    // Its id: the tag of the first one may lead to another image.
    Image,
    Env: Config.Env ?? [],
    Labels: { ...labels, [createdAsLabel]: name, [replicaOfLabel]: Id, [replicaLabel]: String(number) },
    ...(Config.User ? { User: Config.User } : {}),
    ExposedPorts: { [`${port}/tcp`]: {} },
    HostConfig: hardenedHostConfig(spec, init, identity),
    NetworkingConfig: networksOf(spec),
  };
}

function networksOf({ network, aliases }: Pick<ContainerSpec, "network" | "aliases">): object {
  return { EndpointsConfig: { [network]: { Aliases: aliases } } };
}

/** Podman reports `bridge` for every network. */
function networkOf({ HostConfig: { NetworkMode = "" }, NetworkSettings }: InspectedContainer): string {
  const networks = Object.keys(NetworkSettings.Networks ?? {});
  return networks.includes(NetworkMode) ? NetworkMode : (networks[0] ?? NetworkMode);
}
