import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { AppserverProcess, isReady } from "../kit/appserver-process.ts";

export { quietPort } from "../kit/quiet-port.ts";

const installTimeoutMs = 120_000;

export interface ServerOptions {
  readonly dataDir: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Default debug, for the analysis of failed fault tests. */
  readonly logLevel?: "debug" | "info";
  /** Default false: without the sample apps. */
  readonly examples?: boolean;
  /** Further variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs `appserver dev` as its own process, on a data folder that outlives it. */
export class ServerProcess extends AppserverProcess {
  readonly httpUrl: string;
  readonly grpcUrl: string;

  constructor({ dataDir, httpPort, grpcPort, logLevel = "debug", examples = false, environment }: ServerOptions) {
    super(["dev", ...(examples ? [] : ["--no-examples"])], {
      environment: {
        PATH: process.env["PATH"] ?? "",
        APPSERVER_DATA_DIR: dataDir,
        APPSERVER_HTTP_PORT: String(httpPort),
        APPSERVER_GRPC_PORT: String(grpcPort),
        APPSERVER_LOG_LEVEL: logLevel,
        ...environment,
      },
      group: "own",
      onOutput: (text) => keep(join(dataDir, "output.log"), text),
    });
    this.httpUrl = `http://127.0.0.1:${httpPort}`;
    this.grpcUrl = `http://127.0.0.1:${grpcPort}`;
  }

  /** Waits until it printed the table of the sample apps. Rejects if the process ends before that. */
  installed(): Promise<void> {
    return this.until(() => this.printed.includes("Ctrl-C stops"), installTimeoutMs);
  }

  /** Waits until /ready returns 200. Rejects if the process ends before that. */
  ready(): Promise<void> {
    return this.until(() => isReady(this.httpUrl));
  }
}

function keep(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch {
    // The file is on the disk that a test fills, or was removed with the data.
  }
}
