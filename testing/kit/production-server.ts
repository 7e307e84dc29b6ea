import { ProductionProcess } from "./production-process.ts";
import { quietPort } from "./quiet-port.ts";

/** `appserver serve` as its own process. Any number of them may share one {@link ProductionServices}. */
export class ProductionServer {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly #process: ProductionProcess;

  private constructor(process: ProductionProcess, address: string, httpPort: number, grpcPort: number) {
    this.#process = process;
    this.httpUrl = `http://${address}:${httpPort}`;
    this.grpcUrl = `http://${address}:${grpcPort}`;
  }

  /** Not started yet. Its two ports are its own for all its lives. What it logs goes to `logFile`, too. */
  static async create(environment: Readonly<Record<string, string>>, logFile?: string): Promise<ProductionServer> {
    const [httpPort, grpcPort] = [await quietPort(), await quietPort()];
    const address = environment["APPSERVER_BIND_ADDRESS"] ?? "127.0.0.1";
    const ports = { APPSERVER_HTTP_PORT: String(httpPort), APPSERVER_GRPC_PORT: String(grpcPort) };
    const process = new ProductionProcess(["serve"], { ...environment, ...ports }, logFile);
    return new ProductionServer(process, address, httpPort, grpcPort);
  }

  get pid(): number {
    return this.#process.pid;
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  /** Everything that it logged so far, in all its lives. */
  get log(): string {
    return this.#process.log;
  }

  /** Returns at once; also after {@link kill} or {@link stop}. */
  start(): void {
    this.#process.start();
  }

  /** Until /ready answers 200, in cleartext. Rejects, with its last lines, when it ends before. */
  ready(): Promise<void> {
    return this.until(async () => {
      const answer = await fetch(`${this.httpUrl}/ready`).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.status === 200;
    });
  }

  /** Until a condition of the test's own holds. Rejects, with its last lines, when it ends before. */
  until(isReady: () => boolean | Promise<boolean>): Promise<void> {
    return this.#process.until(isReady);
  }

  /** kill -9 */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** SIGSTOP, until {@link resume}. */
  pause(): void {
    this.#process.pause();
  }

  resume(): void {
    this.#process.resume();
  }

  /** SIGTERM; resolves with the exit code, or null when it did not end in time and was killed. */
  stop(): Promise<number | null> {
    return this.#process.stop();
  }
}
