import type { PlatformClient } from "@appserver/sdk";
import type { GraphqlAnswer } from "@appserver/testing/kit";
import type { ProductionOrchestrator, ProductionServer } from "@appserver/testing/kit/production";
import type { CommitPoints } from "./commit-points.ts";
import { untilNothingFound } from "./faulty-platform.ts";
import { duplicates, type Expectation, violations } from "./invariants.ts";
import type { KillablePlatform } from "./killed-commands.ts";
import type { AppRow } from "./platform-records.ts";
import { ProductionRecords, type RabbitControl } from "./production-records.ts";
import { ContainerPlatform, type ContainerServices } from "./switches/container-platform.ts";

export type Victim = "server" | "orchestrator";

/** One server and one orchestrator, each in its own process, with apps in containers. One of them is killed. */
export class SplitPlatform implements KillablePlatform {
  readonly watched: ProductionServer | ProductionOrchestrator;
  readonly #platform: ContainerPlatform;
  readonly #records: ProductionRecords;

  private constructor(victim: Victim, platform: ContainerPlatform, records: ProductionRecords) {
    this.watched = victim === "server" ? platform.group.server(0) : platform.orchestrator(0);
    this.#platform = platform;
    this.#records = records;
  }

  /** The commits of the victim are watched. Stops the services with itself, also if it does not start. */
  static async start(
    services: ContainerServices,
    control: RabbitControl,
    victim: Victim,
    points: CommitPoints,
  ): Promise<SplitPlatform> {
    const watched = (process: Victim) => (process === victim ? points.environment : {});
    const platform = await ContainerPlatform.start(services, {
      servers: 1,
      orchestrators: 1,
      ofServers: watched("server"),
      ofOrchestrators: {
        // These apps are never called, and ignore the stop signal.
        APPSERVER_CONTAINERS_ENDPOINT: "network",
        APPSERVER_APPS_SETTLE_TIME: "1s",
        APPSERVER_CONTAINERS_STOP_TIMEOUT: "100ms",
        ...watched("orchestrator"),
      },
    });
    try {
      return new SplitPlatform(victim, platform, await ProductionRecords.open(services.production, control));
    } catch (error) {
      await platform.stop();
      throw error;
    }
  }

  graphql(query: string, variables?: object): Promise<GraphqlAnswer> {
    return this.#platform.graphql(query, variables);
  }

  client(): PlatformClient {
    return this.#platform.client();
  }

  async restart(): Promise<void> {
    // Otherwise a switch waits 60 s for the server that was killed.
    await this.#platform.group.services.database.query("delete from marketplace.replicas");
    this.watched.start();
    await this.watched.ready();
  }

  async apps(): Promise<readonly AppRow[]> {
    return (await this.#records.read()).apps;
  }

  async settled(expected: ReadonlyMap<string, Expectation>, signal?: AbortSignal): Promise<void> {
    await untilNothingFound(async () => {
      const containers = await this.#platform.containers();
      const processes = containers.map(({ appName }, pid) => ({ pid, appName }));
      const tooMany = duplicates(processes, expected);
      if (tooMany.length > 0) throw new Error(tooMany.join("; "));
      const records = await this.#records.read();
      return violations({ records, processes, publicRoute: new Map() }, expected);
    }, signal);
  }

  async stop(): Promise<void> {
    await this.#records.stop();
    await this.#platform.stop();
  }
}
