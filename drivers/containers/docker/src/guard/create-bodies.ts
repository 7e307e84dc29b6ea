import { containerLabels, storageArchiveFolder } from "@appserver/kernel/ports";
import { createdAsLabel, portLabel } from "../container-view.ts";
import { identityPath } from "../identity-files.ts";
import { replicaLabel, replicaOfLabel } from "../replicas.ts";
import { helperFolder, helperLabel } from "../volume-helper.ts";

/** Values that a field may have. JSON Schema, draft 7. */
type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string", maxLength: 65_536 };
const flag: Schema = { type: "boolean" };
const count: Schema = { type: "integer", minimum: 1 };
const none: Schema = { type: "array", maxItems: 0 };
const labels: Schema = { type: "object", additionalProperties: text };
const portNumber = "^[1-9][0-9]{0,4}/tcp$";
/** Not one of the names that the engine gives a meaning: `host`, `container:<id>`. */
const networkName: Schema = {
  type: "string",
  pattern: "^[a-zA-Z0-9][a-zA-Z0-9_.-]*$",
  not: { enum: ["host", "bridge", "default", "none"] },
};

/** An object with these fields and no others. All are required but those whose name ends with `?`. */
function exactly(fields: Readonly<Record<string, Schema>>): Schema {
  const nameOf = (key: string): string => key.replace(/\?$/, "");
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(fields).map(([key, schema]) => [nameOf(key), schema])),
    required: Object.keys(fields).filter((key) => !key.endsWith("?")),
  };
}

const listOf = (items: Schema): Schema => ({ type: "array", maxItems: 1_000, items });
const one = (value: unknown): Schema => ({ const: value });
const mapOf = (pattern: string, value: Schema): Schema => ({
  type: "object",
  additionalProperties: false,
  patternProperties: { [pattern]: value },
});

/** Form of the names that engines give to volumes without one, such as that of an identity. */
const unnamedVolume = "^[0-9a-f]{64}$";

/** Mounts are volumes of the installation, which the engine made itself: never a path of the host. */
function mounts(volumePrefix: string): Schema {
  const options = exactly({ NoCopy: one(true) });
  const source: Schema = { type: "string", pattern: `^${literal(volumePrefix)}[a-zA-Z0-9_.-]+$` };
  return listOf({
    anyOf: [
      exactly({
        Type: one("volume"),
        "Source?": { type: "string", pattern: unnamedVolume },
        Target: one(identityPath),
        VolumeOptions: options,
      }),
      exactly({ Type: one("volume"), Source: source, Target: text, "ReadOnly?": one(false), VolumeOptions: options }),
    ],
  });
}

/** What `DockerRuntime` sends for the container of an app (`hardened-host-config.ts`), and nothing else. */
export function appContainer(instance: string): Schema {
  const published = exactly({ HostIp: one("127.0.0.1"), HostPort: one("") });
  return exactly({
    Image: text,
    Env: listOf(text),
    Labels: {
      ...labels,
      properties: {
        [containerLabels.instance]: one(instance),
        [containerLabels.gateway]: one(""),
        [helperLabel]: false,
        [portLabel]: text,
        [createdAsLabel]: text,
        [replicaOfLabel]: text,
        [replicaLabel]: text,
      },
      required: [containerLabels.instance, containerLabels.appId, containerLabels.gateway],
    },
    "User?": text,
    ExposedPorts: mapOf(portNumber, exactly({})),
    "NetworkingConfig?": exactly({
      EndpointsConfig: { type: "object", additionalProperties: exactly({ Aliases: listOf(text) }) },
    }),
    HostConfig: exactly({
      NetworkMode: networkName,
      PortBindings: mapOf(portNumber, { type: "array", maxItems: 1, items: published }),
      PublishAllPorts: one(false),
      Memory: count,
      MemorySwap: count,
      CpuShares: count,
      PidsLimit: count,
      Init: flag,
      RestartPolicy: one({ Name: "no", MaximumRetryCount: 0 }),
      AutoRemove: one(false),
      Privileged: one(false),
      CapAdd: none,
      CapDrop: one(["ALL"]),
      SecurityOpt: one(["no-new-privileges:true"]),
      ReadonlyRootfs: flag,
      Tmpfs: one({ "/tmp": "rw,nosuid,nodev,noexec,size=64m,mode=1777" }),
      Binds: none,
      Mounts: mounts(`appserver-${instance}-`),
      VolumesFrom: none,
      Devices: none,
      DeviceRequests: none,
      IpcMode: one("private"),
      PidMode: one(""),
      UTSMode: one(""),
      ExtraHosts: none,
      LogConfig: one({ Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } }),
    }),
  });
}

/** The container that has the volumes of an app for a moment. It is never started. */
export function helperContainer(instance: string): Schema {
  const options = exactly({ NoCopy: one(true) });
  const source: Schema = { type: "string", pattern: `^${literal(`appserver-${instance}-`)}[a-zA-Z0-9_.-]+$` };
  const target: Schema = { type: "string", pattern: `^/${literal(helperFolder)}/(?:[0-9]{1,4}|${storageArchiveFolder})$` };
  const mount = exactly({ Type: one("volume"), Source: source, Target: target, VolumeOptions: options });
  return exactly({
    Image: text,
    Entrypoint: one(["/"]),
    Labels: exactly({ [helperLabel]: one("true"), [containerLabels.gateway]: one("") }),
    HostConfig: exactly({ NetworkMode: one("none"), Mounts: listOf(mount) }),
  });
}

/** A network between containers of this machine. */
export function network(instance: string): Schema {
  const own = { ...labels, properties: { [containerLabels.instance]: one(instance) } };
  return exactly({
    Name: networkName,
    Driver: one("bridge"),
    CheckDuplicate: one(true),
    "Labels?": own,
    "IPAM?": exactly({ Config: { type: "array", maxItems: 1, items: exactly({ Subnet: text }) } }),
  });
}

/** A volume without options of its driver: those could make it a folder of the host. */
export function volume(instance: string): Schema {
  return exactly({
    Name: { type: "string", pattern: `^${literal(`appserver-${instance}-`)}[a-zA-Z0-9_.-]+$` },
    Labels: { ...labels, properties: { [containerLabels.instance]: one(instance) }, required: [containerLabels.instance] },
  });
}

export const connection: Schema = exactly({ Container: text, EndpointConfig: exactly({ Aliases: listOf(text) }) });
export const disconnection: Schema = exactly({ Container: text, Force: one(true) });

function literal(value: string): string {
  return value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
