import type { ContainerSpec } from "@appserver/kernel/ports";
import { identityPath } from "./identity-files.ts";
import { volumeMounts } from "./volume-mounts.ts";

/** The host configuration of a container. Only this file creates one; a snapshot test checks it. */
export interface HostConfig {
  readonly NetworkMode: string;
  readonly PortBindings: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[]>>;
  readonly [field: string]: unknown;
}

/**
 * Returns the same hardening for every app: no capabilities, no new privileges, no devices, nothing of the host, bounded
 * processes, memory and logs. Of a spec, only limits, network, port and storage are used (docs/interface/containers.md#hardening).
 *
 * @param init whether the engine has an init binary, which reaps what the app leaves behind
 * @param identity the volume of the identity. By default the engine makes one
 */
export function hardenedHostConfig(spec: ContainerSpec, init: boolean, identity?: string): HostConfig {
  const memory = spec.memoryMb * 1024 * 1024;
  return {
    NetworkMode: spec.network,
    PortBindings: spec.endpoint === "publish" ? { [`${spec.port}/tcp`]: [{ HostIp: "127.0.0.1", HostPort: "" }] } : {},
    PublishAllPorts: false,
    Memory: memory,
    // Equal to Memory: otherwise an app may use the same amount of swap in addition.
    MemorySwap: memory,
    CpuShares: spec.cpuShares,
    PidsLimit: spec.pidsLimit,
    Init: init,
    RestartPolicy: { Name: "no", MaximumRetryCount: 0 },
    AutoRemove: false,
    Privileged: false,
    CapAdd: [],
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges:true"],
    ReadonlyRootfs: spec.readOnlyRoot,
    Tmpfs: { "/tmp": "rw,nosuid,nodev,noexec,size=64m,mode=1777" },
    Binds: [],
    // The identity of the deployment, filled over the API, and the storage. Nothing of the host, and nothing of the image.
    Mounts: [identityMount(identity), ...volumeMounts(spec)],
    VolumesFrom: [],
    Devices: [],
    DeviceRequests: [],
    IpcMode: "private",
    PidMode: "",
    UTSMode: "",
    ExtraHosts: [],
    LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } },
  };
}

function identityMount(Source?: string): object {
  return { Type: "volume", ...(Source ? { Source } : {}), Target: identityPath, VolumeOptions: { NoCopy: true } };
}
