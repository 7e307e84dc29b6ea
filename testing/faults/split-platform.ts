import { DockerRuntime } from "@appserver/containers-docker";
import type { PlatformClient } from "@appserver/sdk";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";
import { ProductionOrchestrator, type ProductionServer, type ProductionServices } from "@appserver/testing/kit/production";
import { ReplicaGroup } from "../production/replicas/replica-group.ts";
import type { AppProcess } from "./app-processes.ts";
import type { CommitPoints } from "./commit-points.ts";
import { untilNothingFound } from "./faulty-platform.ts";
import { duplicates, type Expectation, violations } from "./invariants.ts";
import type { KillablePlatform } from "./killed-commands.ts";
import type { AppRow } from "./platform-records.ts";
import { ProductionRecords, type RabbitControl } from "./production-records.ts";

export type Victim = "server" | "orchestrator";

export interface SplitPlatformOptions {
  /** The process whose commits are watched. */
  readonly victim: Victim;
  readonly points: CommitPoints;
  readonly services: ProductionServices;
  readonly engine: TestDockerEngine;
  readonly registry: string;
  readonly control: RabbitControl;
}

/** One server and one orchestrator, each in its own process, with apps in containers. One of them is killed. */
export class SplitPlatform implements KillablePlatform {
  readonly watched: ProductionServer | ProductionOrchestrator;
  readonly #options: SplitPlatformOptions;
  readonly #group: ReplicaGroup;
  readonly #orchestrator: ProductionOrchestrator;
  readonly #records: ProductionRecords;

  private constructor(
    options: SplitPlatformOptions,
    group: ReplicaGroup,
    orchestrator: ProductionOrchestrator,
    records: ProductionRecords,
  ) {
    this.#options = options;
    this.#group = group;
    this.#orchestrator = orchestrator;
    this.#records = records;
    this.watched = options.victim === "server" ? group.server(0) : orchestrator;
  }

  static async start(options: SplitPlatformOptions): Promise<SplitPlatform> {
    const { services, engine, registry, control, victim, points } = options;
    const watched = (process: Victim) => (process === victim ? points.environment : {});
    const environment = { ...services.environment, ...watched("server") };
    const group = await ReplicaGroup.start({ ...services, environment }, 1);
    const records = await ProductionRecords.open(services, control);
    const network = networkOf(services);
    const runtime = new DockerRuntime({ socketPath: engine.socketPath });
    await runtime.ensureNetwork(network);
    await runtime.close();
    const { httpUrl, grpcUrl } = group.server(0);
    const orchestrator = new ProductionOrchestrator(services.environment, {
      socketPath: engine.socketPath,
      network,
      registry,
      httpUrl,
      grpcUrl,
      // These apps are never called, and ignore the stop signal.
      environment: {
        APPSERVER_CONTAINERS_ENDPOINT: "network",
        APPSERVER_APPS_SETTLE_TIME: "1s",
        APPSERVER_DOCKER_STOP_TIMEOUT: "100ms",
        ...watched("orchestrator"),
      },
    });
    orchestrator.start();
    await orchestrator.ready();
    return new SplitPlatform(options, group, orchestrator, records);
  }

  client(): PlatformClient {
    return this.#group.client(this.#group.server(0));
  }

  start(): void {
    this.watched.start();
  }

  async restart(): Promise<void> {
    // Otherwise a switch waits 60 s for the server that was killed.
    if (this.#options.victim === "server") await this.#options.services.database.query("delete from marketplace.replicas");
    this.start();
    await this.watched.ready();
  }

  async apps(): Promise<readonly AppRow[]> {
    return (await this.#records.read()).apps;
  }

  async settled(expected: ReadonlyMap<string, Expectation>, signal?: AbortSignal): Promise<void> {
    const look = async (): Promise<readonly string[]> => {
      const processes = await this.#containers();
      const tooMany = duplicates(processes, expected);
      if (tooMany.length > 0) throw new Error(tooMany.join("; "));
      const records = await this.#records.read();
      return violations({ records, processes, publicRoute: new Map() }, expected);
    };
    await untilNothingFound(this.#options.services.instance, look, signal);
  }

  async #containers(): Promise<readonly AppProcess[]> {
    const label = `appserver.instance=${this.#options.services.instance}`;
    const names = await this.#options.engine.containers(label, false);
    return names.map((name, pid) => ({ pid, appName: name.replace(/^app-/, "").replace(/-g\d+$/, "") }));
  }

  /** Stops the processes and removes the containers. The caller stops the services and the engine. */
  async stop(): Promise<void> {
    const { engine, services } = this.#options;
    await this.#orchestrator.stop();
    await this.#group.stop();
    await this.#records.stop();
    await engine.tidyUp(services.instance, networkOf(services));
  }
}

function networkOf({ instance }: ProductionServices): string {
  return `appserver-${instance}`;
}
