import cluster, { type Worker } from "node:cluster";
import type { ReadinessCheck } from "@appserver/transports/http";
import { sendToPrimary } from "./send-to-primary.ts";

type Message = { readonly readiness: "open" } | { readonly readiness: "all"; readonly areOpen: boolean };

/**
 * Runs in the primary. Counts the workers that serve, and notifies all workers whether every one does. They share the ports:
 * until then a request may reach a worker that is still starting.
 */
export class WorkerReadiness {
  readonly #count: number;
  readonly #workers = new Map<Worker, { isOpen: boolean }>();

  constructor(count: number) {
    this.#count = count;
  }

  add(worker: Worker): void {
    this.#workers.set(worker, { isOpen: false });
    worker.on("message", (message: unknown) => {
      if (!isMessage(message) || message.readiness !== "open") return;
      this.#workers.set(worker, { isOpen: true });
      this.#reportReadiness();
    });
    worker.once("exit", () => {
      this.#workers.delete(worker);
      this.#reportReadiness();
    });
  }

  #reportReadiness(): void {
    const open = [...this.#workers.values()].filter(({ isOpen }) => isOpen).length;
    const message = { readiness: "all", areOpen: open === this.#count } satisfies Message;
    for (const worker of this.#workers.keys()) if (worker.isConnected()) worker.send(message);
  }
}

/**
 * Returns a worker's readiness check of the other workers, and `open`, which reports that this worker serves. Undefined in a
 * single process.
 */
export function siblingReadiness(): { readonly check: ReadinessCheck; open(): void } | undefined {
  if (!cluster.isWorker) return undefined;
  let areOpen = false;
  process.on("message", (message: unknown) => {
    if (isMessage(message) && message.readiness === "all") areOpen = message.areOpen;
  });
  return {
    check: {
      name: "workers",
      critical: true,
      check: () => (areOpen ? Promise.resolve() : Promise.reject(new Error("not every worker of this machine serves yet"))),
    },
    open: () => sendToPrimary({ readiness: "open" } satisfies Message),
  };
}

function isMessage(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "readiness" in message;
}
