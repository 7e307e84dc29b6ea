import { ProductionProcess } from "./production-process.ts";

/** The options of an orchestrator in addition to {@link ProductionServices}. */
export interface OrchestratorOptions {
  /** Of the container engine. */
  readonly socketPath: string;
  /** Of the containers. */
  readonly network: string;
  /** `127.0.0.1:43211`. Undefined: that of the platform itself, which `environment` names. */
  readonly registry?: string;
  /** The address at which containers reach the platform. */
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A file for its standard output only. {@link ProductionOrchestrator.ready} cannot be used then. */
  readonly outputFile?: string;
}

/** Runs `appserver orchestrate` as its own process. Any number of them may share one {@link ProductionServices}. */
export class ProductionOrchestrator extends ProductionProcess {
  /** Number of starts so far. */
  #starts = 0;

  /** Not started yet. */
  constructor(environment: Readonly<Record<string, string>>, options: OrchestratorOptions) {
    super(["orchestrate"], { ...environment, ...environmentOf(options) }, undefined, options.outputFile);
  }

  override start(): void {
    this.#starts += 1;
    super.start();
  }

  /** Waits until it logs that it is up. Rejects with its last lines if it ends before that. */
  async ready(): Promise<void> {
    await this.until(() => this.log.split("orchestrator: started").length > this.#starts);
  }
}

function environmentOf(options: OrchestratorOptions): Record<string, string> {
  const { socketPath, network, registry, httpUrl, grpcUrl, environment = {} } = options;
  return {
    APPSERVER_EVENTBUS_ENABLED: "true",
    APPSERVER_CONTAINERS_ENABLED: "true",
    APPSERVER_DOCKER_SOCKET_PATH: socketPath,
    APPSERVER_CONTAINERS_NETWORK_NAME: network,
    ...(registry !== undefined && { APPSERVER_CONTAINERS_REGISTRY_URL: registry }),
    // The servers run on the host, where containers' names do not resolve.
    APPSERVER_CONTAINERS_ENDPOINT: "publish",
    APPSERVER_HTTP_URL: httpUrl,
    APPSERVER_GRPC_ADDRESS: grpcUrl.replace("http://", ""),
    APPSERVER_GRAPHQL_HTTP: `${httpUrl}/graphql`,
    ...environment,
  };
}
