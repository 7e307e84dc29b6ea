import { once } from "node:events";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";

const root = resolve(import.meta.dirname, "../../..");

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly result?: readonly ScriptCoverage[] };
}

/** Which functions of the project's own files a process runs, by the precise coverage of V8. The process has the inspector open. */
export class Coverage {
  readonly #socket: WebSocket;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async start(port: number): Promise<Coverage> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "", { perMessageDeflate: false });
    await once(socket, "open");
    const coverage = new Coverage(socket);
    await coverage.#send("Profiler.enable");
    await coverage.#send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    return coverage;
  }

  /**
   * Returns how often each function, `file:offset`, ran since the last call. Those that a module runs while it is loaded are not
   * included.
   */
  async take(): Promise<ReadonlyMap<string, number>> {
    const { result } = await this.#send("Profiler.takePreciseCoverage");
    const ran = (result?.result ?? []).flatMap(({ url, functions }) => {
      const file = ownFile(url);
      if (file === undefined) return [];
      return functions
        .flatMap(({ ranges }) => ranges[0] ?? [])
        .filter(({ count, startOffset }) => count > 0 && startOffset > 0)
        .map(({ startOffset, count }) => [`${file}:${startOffset}`, count] as const);
    });
    return new Map(ran);
  }

  stop(): void {
    this.#socket.close();
  }

  async #send(method: string, params: object = {}): Promise<Reply> {
    this.#lastId += 1;
    const id = this.#lastId;
    const reply = new Promise<Reply>((done) => {
      const onMessage = (data: Buffer): void => {
        const message = JSON.parse(data.toString()) as Reply;
        if (message.id !== id) return;
        this.#socket.off("message", onMessage);
        done(message);
      };
      this.#socket.on("message", onMessage);
    });
    this.#socket.send(JSON.stringify({ id, method, params }));
    return await reply;
  }
}

/** Returns the path of a file of the project, without generated code; undefined for other scripts. */
function ownFile(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const file = relative(root, fileURLToPath(url));
  return /^\.\.|node_modules|generated|^testing\//.test(file) ? undefined : file;
}
