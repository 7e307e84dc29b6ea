import { isReady } from "./appserver-process.ts";
import { ProductionProcess } from "./production-process.ts";
import { quietPort } from "./quiet-port.ts";

interface Ports {
  readonly http: number;
  readonly grpc: number;
}

/** Runs `appserver serve` as its own process. Any number of them may share one {@link ProductionServices}. */
export class ProductionServer extends ProductionProcess {
  readonly httpUrl: string;
  readonly grpcUrl: string;

  private constructor(environment: Readonly<Record<string, string>>, ports: Ports, logFile?: string, outputFile?: string) {
    const addresses = { APPSERVER_HTTP_PORT: `${ports.http}`, APPSERVER_GRPC_PORT: `${ports.grpc}` };
    super(["serve"], { ...environment, ...addresses }, logFile, outputFile);
    const address = environment["APPSERVER_BIND_ADDRESS"] ?? "127.0.0.1";
    this.httpUrl = `http://${address}:${ports.http}`;
    this.grpcUrl = `http://${address}:${ports.grpc}`;
  }

  /**
   * Not started yet. It keeps its two ports over all its starts, that of HTTP may be given. Files as for {@link ProductionProcess}.
   */
  static async create(
    environment: Readonly<Record<string, string>>,
    logFile?: string,
    outputFile?: string,
  ): Promise<ProductionServer> {
    const http = Number(environment["APPSERVER_HTTP_PORT"]) || (await quietPort());
    return new ProductionServer(environment, { http, grpc: await quietPort() }, logFile, outputFile);
  }

  /** Waits until /ready returns 200, in cleartext. Rejects with its last lines if it ends before that. */
  ready(): Promise<void> {
    return this.until(() => isReady(this.httpUrl));
  }
}
