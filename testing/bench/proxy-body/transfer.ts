import { type Dispatcher, Pool } from "undici";
import { type Served as Batch, closedLoop } from "../closed-loop.ts";
import { largeBytes } from "../gateways/large-body.ts";
import { peakMb } from "../process-memory.ts";

export const requests = 64;
export const concurrency = 8;

/** From the client to the backend, or back. */
export const directions = ["up", "down"] as const;
export type Direction = (typeof directions)[number];

export interface Gateway {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

export interface Transfer extends Batch {
  readonly peakMb: number;
}

/** Sends large bodies through a gateway, and measures the memory of its processes. */
export async function transfer({ url, pid }: Gateway, direction: Direction, signal: AbortSignal): Promise<Transfer> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: concurrency });
  const content = direction === "up" ? Buffer.alloc(largeBytes, "x") : undefined;
  const send = async (): Promise<void> => {
    const received = await new Promise<Received>((resolve, reject) => {
      const request = { method: content ? "POST" : "GET", path, ...(content ? { body: content } : {}) } as const;
      pool.dispatch(request, new Counting(resolve, reject));
    });
    const isWhole = direction === "up" || received.bytes === largeBytes;
    if (received.status !== 200 || !isWhole) throw new Error(`${url}: ${received.status} with ${received.bytes} bytes`);
  };
  let batch: Batch | undefined;
  const peak = await peakMb(pid, async () => {
    batch = await closedLoop({ pids: [pid], requests, concurrency, signal, send });
  });
  await pool.close();
  if (!batch) throw new Error("nothing was sent");
  return { ...batch, peakMb: peak };
}

interface Received {
  readonly status: number;
  readonly bytes: number;
}

/** Counts the bytes of a response. A stream of them would cost the client more than the gateways. */
class Counting implements Dispatcher.DispatchHandler {
  readonly #resolve: (received: Received) => void;
  readonly #reject: (error: Error) => void;
  #status = 0;
  #bytes = 0;

  constructor(resolve: (received: Received) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
  }

  onResponseEnd(): void {
    this.#resolve({ status: this.#status, bytes: this.#bytes });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
