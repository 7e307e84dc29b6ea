import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { parse } from "yaml";

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly group_add?: readonly string[];
  readonly network_mode?: string;
  readonly networks?: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly depends_on?: readonly string[];
}

interface ComposeOptions {
  /** Before the names of containers, networks and volumes. */
  readonly project: string;
  /** What stands in the file, and what is used here. */
  readonly names: Readonly<Record<string, string>>;
  readonly socketPath: string;
}

/** Runs the services of a compose file as Docker Compose does, which is not on every machine: with the fields that `Service` names. */
export class ComposeRun {
  readonly #services: Readonly<Record<string, Service>>;
  readonly #options: ComposeOptions;

  constructor(file: string, options: ComposeOptions) {
    const text = Object.entries(options.names).reduce(
      (result, [from, to]) => result.replaceAll(from, to),
      readFileSync(file, "utf8"),
    );
    this.#services = (parse(text, { merge: true }) as { readonly services: Readonly<Record<string, Service>> }).services;
    this.#options = options;
  }

  /** Returns what `docker` prints. */
  async docker(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, DOCKER_HOST: `unix://${this.#options.socketPath}` };
    const { stdout, stderr } = await promisify(execFile)("docker", args, { env });
    return stdout + stderr;
  }

  container(service: string): string {
    return `${this.#options.project}-${service}-1`;
  }

  /** Starts all services, those first on which others depend. */
  async start(): Promise<void> {
    const order = Object.entries(this.#services).sort(([, left], [, right]) => dependencies(left) - dependencies(right));
    for (const [name, service] of order) {
      for (const network of service.networks ?? [])
        await this.docker("network", "create", `${this.#options.project}-1-${network}`);
      await this.docker(
        "run",
        "--detach",
        "--name",
        this.container(name),
        ...this.#flagsOf(name, service),
        service.image,
        ...service.command,
      );
    }
  }

  async remove(): Promise<void> {
    const { project } = this.#options;
    for (const name of Object.keys(this.#services).reverse())
      await this.docker("rm", "--force", this.container(name)).catch(() => {});
    const volumes = (await this.docker("volume", "ls", "--quiet", "--filter", `name=${project}_`)).split("\n").filter(Boolean);
    for (const volume of volumes) await this.docker("volume", "rm", volume);
    for (const { networks = [] } of Object.values(this.#services))
      for (const network of networks) await this.docker("network", "rm", `${project}-1-${network}`).catch(() => {});
  }

  #flagsOf(name: string, service: Service): readonly string[] {
    const { project } = this.#options;
    const pairs = (flag: string, values: Readonly<Record<string, string>> = {}): readonly string[] =>
      Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
    const each = (flag: string, values: readonly string[] = []): readonly string[] => values.flatMap((value) => [flag, value]);
    const volumes = service.volumes?.map((volume) => (volume.startsWith("/") ? volume : `${project}_${volume}`));
    return [
      ...pairs("--env", service.environment),
      ...pairs("--label", service.labels),
      ...pairs("--sysctl", service.sysctls),
      ...each("--publish", service.ports),
      ...each("--volume", volumes),
      ...each("--group-add", service.group_add),
      ...each("--tmpfs", service.tmpfs),
      ...each("--cap-drop", service.cap_drop),
      ...each("--security-opt", service.security_opt),
      ...each(
        "--network",
        service.networks?.map((network) => `${project}-1-${network}`),
      ),
      ...(service.networks ? ["--network-alias", name] : []),
      ...(service.network_mode === undefined ? [] : ["--network", service.network_mode]),
      ...(service.read_only ? ["--read-only"] : []),
    ];
  }
}

function dependencies({ depends_on: others = [] }: Service): number {
  return others.length;
}
