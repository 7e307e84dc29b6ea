import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerSpec } from "@appserver/kernel/ports";
import { hardenedHostConfig } from "./hardened-host-config.ts";

const spec: ContainerSpec = {
  name: "app-com.example.notes",
  image: "registry.example/com.example.notes:latest",
  environment: { PORT: "3000" },
  labels: {},
  network: "appserver",
  port: 3000,
  endpoint: "publish",
  memoryMb: 512,
  cpuShares: 1024,
  pidsLimit: 256,
  readOnlyRoot: true,
};

const snapshot = {
  NetworkMode: "appserver",
  PortBindings: { "3000/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }] },
  PublishAllPorts: false,
  Memory: 536_870_912,
  MemorySwap: 536_870_912,
  CpuShares: 1024,
  PidsLimit: 256,
  Init: true,
  RestartPolicy: { Name: "no", MaximumRetryCount: 0 },
  AutoRemove: false,
  Privileged: false,
  CapAdd: [],
  CapDrop: ["ALL"],
  SecurityOpt: ["no-new-privileges:true"],
  ReadonlyRootfs: true,
  Tmpfs: { "/tmp": "rw,nosuid,nodev,noexec,size=64m,mode=1777" },
  Binds: [],
  Mounts: [{ Type: "volume", Target: "/run/appserver", VolumeOptions: { NoCopy: true } }],
  VolumesFrom: [],
  Devices: [],
  DeviceRequests: [],
  IpcMode: "private",
  PidMode: "",
  UTSMode: "",
  ExtraHosts: [],
  LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } },
};

test("the host configuration matches the snapshot", () => {
  assert.deepEqual(hardenedHostConfig(spec, true), snapshot);
});

test("on the container network no port is published", () => {
  assert.deepEqual(hardenedHostConfig({ ...spec, endpoint: "network" }, true), { ...snapshot, PortBindings: {} });
});

test("the hardening is the same for every spec", () => {
  const hostile = {
    ...spec,
    environment: { Privileged: "true" },
    labels: { Binds: "/:/host" },
    Privileged: true,
    CapAdd: ["ALL"],
    Binds: ["/:/h"],
  };
  assert.deepEqual(hardenedHostConfig(hostile, true), snapshot);
});

test("the only mounts are the volumes of the identity and of the app's storage", () => {
  const labels = { "appserver.instance": "here", "appserver.app-id": "0193" };
  const storage = [{ name: "data", mountPath: "/data", variable: "APP_STORAGE_DATA" }];
  const Mounts = [
    {
      Type: "volume",
      Source: "appserver-here-0193-data",
      Target: "/data",
      ReadOnly: false,
      VolumeOptions: { NoCopy: true },
    },
  ];
  const expected = { ...snapshot, Mounts: [...snapshot.Mounts, ...Mounts] };
  assert.deepEqual(hardenedHostConfig({ ...spec, labels, storage }, true), expected);
});
