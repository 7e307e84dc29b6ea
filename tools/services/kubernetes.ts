import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFileLock } from "@appserver/kernel/files";
import { cacheFolder } from "./cache-folder.ts";
import { ensureDebianProgram } from "./debian-package.ts";
import { findGo } from "./go-program.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";
import { testedVersions } from "./versions.ts";

/** A Kubernetes with two nodes on this machine. Tests reach its pods and Services. */
export interface Kubernetes {
  /** Of an administrator. */
  readonly kubeconfig: string;
  /** `10.199.0.1:21904`: where both nodes pull from, over plain HTTP. */
  readonly registry: string;
  /** With the process ids and logs of its programs. */
  readonly folder: string;
  /** The folder of its programs. */
  readonly programs: string;
  stop(): Promise<void>;
}

const address = "10.199.0.1";
/** The first of six ports. */
const basePort = 21_900;
const programs = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy"] as const;
const buildTimeoutMs = 60 * 60_000;
const systemPrograms = [
  ["etcd", "etcd-server"],
  ["containerd", "containerd"],
  ["runc", "runc"],
  ["docker-registry", "docker-registry"],
  ["iptables", "iptables"],
  ["ipset", "ipset"],
  ["curl", "curl"],
] as const;

/** Returns the cluster that all tests of this machine share, or the reason why it is unavailable. Builds nothing. */
export async function ensureKubernetes(
  options: { readonly keep?: boolean } = {},
): Promise<Kubernetes | { unavailable: string }> {
  if (process.getuid?.() !== 0) return { unavailable: "a cluster needs root" };
  if (!isKubernetesBuilt())
    return {
      unavailable: "its programs are not built (node bin/run.mjs tools/services/prepare.ts kubernetes, about 20 minutes)",
    };
  // The later versions need control groups of version 2.
  if (existsSync("/sys/fs/cgroup/cgroup.controllers")) return { unavailable: "this machine has control groups of version 2" };
  const failure = ensureSystemPrograms();
  if (failure) return { unavailable: failure };
  try {
    const use = await useService(clusterService(), { keep: options.keep ?? false });
    const folder = use.settings["folder"] ?? "";
    return {
      folder,
      programs: programFolder(),
      kubeconfig: join(folder, "kubeconfig"),
      registry: `${address}:${basePort + 4}`,
      stop: use.stop,
    };
  } catch (error) {
    return { unavailable: `the cluster did not start: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export async function downKubernetes(): Promise<boolean> {
  return await downService(clusterService());
}

function clusterService(folder = join(servicesFolder, "kubernetes")): ServiceDefinition {
  return {
    name: "kubernetes",
    folder,
    startTimeoutMs: 180_000,
    prepare: async () => ({
      command: ["bash", join(import.meta.dirname, "kubernetes/cluster.sh"), folder, programFolder(), String(basePort)],
      settings: { folder },
    }),
    isReady: async () => existsSync(join(folder, "ready")),
  };
}

function ensureSystemPrograms(): string | undefined {
  for (const [program, packageName] of systemPrograms) {
    const found = ensureDebianProgram(program, packageName);
    if ("unavailable" in found) return found.unavailable;
  }
  if (existsSync("/usr/lib/cni/ptp")) return undefined;
  // It brings no program that is in a path.
  const found = ensureDebianProgram("/usr/lib/cni/ptp", "containernetworking-plugins");
  return existsSync("/usr/lib/cni/ptp") ? undefined : "unavailable" in found ? found.unavailable : undefined;
}

/** Contains the programs of this version, and the file `ready` when all are built. */
function programFolder(): string {
  return join(cacheFolder("go"), `kubernetes-${testedVersions.kubernetes}`);
}

export function isKubernetesBuilt(): boolean {
  return ["ready", "metrics-server"].every((name) => existsSync(join(programFolder(), name)));
}

/** Builds the programs of the nodes from source, once per version and user. */
export async function buildKubernetes(): Promise<{ path: string } | { unavailable: string }> {
  const folder = programFolder();
  if (isKubernetesBuilt()) return { path: folder };
  const go = findGo();
  if (!go) return { unavailable: "no Go toolchain to build Kubernetes with" };
  mkdirSync(folder, { recursive: true });
  return await withFileLock(
    `${folder}.lock`,
    async () => {
      const failure = isKubernetesBuilt() ? undefined : buildAll(go, folder);
      if (failure) return { unavailable: `Kubernetes could not be built: ${failure}` };
      return { path: folder };
    },
    { timeoutMs: buildTimeoutMs },
  );
}

function buildAll(go: string, folder: string): string | undefined {
  const { kubernetes, "kube-router": router, "metrics-server": metrics } = testedVersions;
  const flags = `-s -w -X k8s.io/component-base/version.gitVersion=v${kubernetes}`;
  const failure =
    buildModule(go, folder, {
      names: programs,
      packages: programs.map((name) => `k8s.io/kubernetes/cmd/${name}`),
      module: () => kubernetesModule(go, kubernetes),
      // Without the clients of cloud providers, which take longer than the rest.
      flags: ["-tags=providerless", `-ldflags=${flags}`],
    }) ??
    buildModule(go, folder, {
      names: ["kube-router"],
      packages: ["github.com/cloudnativelabs/kube-router/v2/cmd/kube-router"],
      module: () => `module appserver-kube-router\ngo 1.22.0\nrequire github.com/cloudnativelabs/kube-router/v2 v${router}\n`,
      flags: ["-ldflags=-s -w"],
    }) ??
    buildModule(go, folder, {
      names: ["metrics-server"],
      packages: ["sigs.k8s.io/metrics-server/cmd/metrics-server"],
      module: () => `module appserver-metrics-server\ngo 1.22.0\nrequire sigs.k8s.io/metrics-server v${metrics}\n`,
      flags: ["-ldflags=-s -w"],
    }) ??
    buildPause(go, folder);
  if (failure) return failure;
  writeFileSync(join(folder, "ready"), "");
  return undefined;
}

interface ModuleBuild {
  readonly names: readonly string[];
  readonly packages: readonly string[];
  /** Returns the contents of go.mod. */
  readonly module: () => string;
  readonly flags: readonly string[];
}

function buildModule(go: string, folder: string, { names, packages, module, flags }: ModuleBuild): string | undefined {
  if (names.every((name) => existsSync(join(folder, name)))) return undefined;
  const scratch = mkdtempSync(join(cacheFolder("go"), "building-"));
  try {
    writeFileSync(join(scratch, "go.mod"), module());
    const imports = packages.map((name) => `import _ "${name}"`).join("\n");
    writeFileSync(join(scratch, "tools.go"), `//go:build tools\n\npackage tools\n\n${imports}\n`);
    return (
      run(go, ["mod", "tidy"], scratch) ??
      packages.reduce<string | undefined>((failure, name, index) => {
        if (failure !== undefined) return failure;
        const built = join(scratch, names[index] ?? "");
        const failed = run(go, ["build", "-trimpath", ...flags, "-o", built, name], scratch);
        if (failed === undefined) renameSync(built, join(folder, names[index] ?? ""));
        return failed;
      }, undefined)
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Kubernetes takes its own libraries from its sources by `replace`, which a module that requires it must repeat as versions. */
function kubernetesModule(go: string, version: string): string {
  const { stdout } = spawnSync(go, ["mod", "download", "-json", `k8s.io/kubernetes@v${version}`], { encoding: "utf8" });
  const { GoMod } = JSON.parse(stdout) as { readonly GoMod: string };
  const libraryVersion = `v0${version.slice(version.indexOf("."))}`;
  const replaced = readFileSync(GoMod, "utf8")
    .split("\n")
    .filter((line) => line.includes("=> ./staging"))
    .map((line) => line.trim().split(/\s+/)[0] ?? "")
    .map((name) => `  ${name} => ${name} ${libraryVersion}`);
  return `module appserver-kubernetes\ngo 1.22.0\nrequire k8s.io/kubernetes v${version}\nreplace (\n${replaced.join("\n")}\n)\n`;
}

/** The process that holds the namespaces of a pod. */
function buildPause(go: string, folder: string): string | undefined {
  const scratch = mkdtempSync(join(cacheFolder("go"), "building-"));
  try {
    writeFileSync(join(scratch, "go.mod"), "module pause\ngo 1.22.0\n");
    writeFileSync(
      join(scratch, "main.go"),
      `package main\n\nimport (\n\t"os"\n\t"os/signal"\n\t"syscall"\n)\n\nfunc main() {\n\tended := make(chan os.Signal, 1)\n\tsignal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)\n\t<-ended\n}\n`,
    );
    return run(go, ["build", "-trimpath", "-ldflags=-s -w", "-o", join(folder, "pause"), "."], scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(go: string, args: readonly string[], folder: string): string | undefined {
  const environment = { CGO_ENABLED: "0", GONOSUMDB: "k8s.io/kube-proxy", GOFLAGS: "-mod=mod -buildvcs=false" };
  const { status, stderr, error } = spawnSync("nice", ["-n", "10", go, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...environment },
    timeout: buildTimeoutMs,
  });
  if (status === 0) return undefined;
  return error?.message ?? `go ${args[0]} ended with ${status}: ${stderr.trim().split("\n").slice(-5).join("; ")}`;
}
