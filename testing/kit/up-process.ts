import { isReady } from "./appserver-process.ts";
import { ProductionProcess } from "./production-process.ts";
import { quietPort } from "./quiet-port.ts";

interface UpPorts {
  readonly http: number;
  readonly grpc: number;
  readonly internal: number;
}

/** Runs `appserver up` as its own process, without TLS on the loopback interface. It keeps its ports over all its starts. */
export class UpProcess extends ProductionProcess {
  readonly dataDir: string;
  readonly httpUrl: string;
  readonly grpcUrl: string;
  /** Where the engine of this machine reaches the platform's registry, and apps that are processes the platform: `127.0.0.1:8081`. */
  readonly internalAddress: string;
  /** For commands of operators such as `appserver up --show`. */
  readonly environment: Readonly<Record<string, string>>;

  private constructor(dataDir: string, ports: UpPorts, environment: Readonly<Record<string, string>>, logFile?: string) {
    const httpUrl = `http://127.0.0.1:${ports.http}`;
    const own = {
      APPSERVER_PUBLIC_URL: httpUrl,
      APPSERVER_DATA_DIR: dataDir,
      APPSERVER_BIND_ADDRESS: "127.0.0.1",
      APPSERVER_GRPC_PORT: String(ports.grpc),
      APPSERVER_INTERNAL_PORT: String(ports.internal),
    };
    super(["up"], { ...own, ...environment }, logFile);
    this.environment = { ...own, ...environment };
    this.dataDir = dataDir;
    this.httpUrl = httpUrl;
    this.grpcUrl = `http://127.0.0.1:${ports.grpc}`;
    this.internalAddress = `127.0.0.1:${ports.internal}`;
  }

  /** Not started yet. */
  static async create(
    dataDir: string,
    environment: Readonly<Record<string, string>> = {},
    logFile?: string,
  ): Promise<UpProcess> {
    const ports = { http: await quietPort(), grpc: await quietPort(), internal: await quietPort() };
    return new UpProcess(dataDir, ports, environment, logFile);
  }

  /** Waits until /ready returns 200. Rejects with its last lines if it ends before that. */
  async ready(): Promise<void> {
    await this.until(() => isReady(this.httpUrl));
  }

  /** Waits for the link of the first administrator, which comes after the platform is ready. */
  async administratorLink(): Promise<string> {
    const link = (): string | undefined => /^ {2}(http\S+#token=\S+)$/m.exec(this.printed)?.[1];
    await this.until(() => link() !== undefined);
    return link() ?? "";
  }
}
