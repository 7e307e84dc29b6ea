// Sends requests at fixed rates, in a process of its own, so that the event loop of the test does not slow the load. Started by
// fixed-rate-load.ts, which sends it targets and then the end, and receives the report.
import { createHash } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { LoadCommand, LoadTarget, TargetReport } from "./fixed-rate-load.ts";

const timeoutMs = 60_000;
const maxFailures = 5;
/** Of one target. On a machine that is too busy for the rate, more open requests would only overflow the queues of the servers. */
const maxOpen = 100;

/** Sends the requests of one target, each at its time. Leaves out those that are due while too many are open. */
class TargetLoad {
  readonly #target: LoadTarget;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #startedAt = performance.now();
  readonly #open = new Set<Promise<void>>();
  readonly #failures: string[] = [];
  readonly #times: number[] = [];
  #sent = 0;
  #omitted = 0;
  #failed = 0;
  #isOver = false;

  constructor(target: LoadTarget) {
    this.#target = target;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      const due = ((performance.now() - this.#startedAt) / 1_000) * this.#target.ratePerSecond;
      for (; this.#sent + this.#omitted < due; )
        if (this.#open.size < maxOpen) this.#send();
        else this.#omitted += 1;
      await sleep(2);
    }
  }

  async end(): Promise<TargetReport> {
    this.#isOver = true;
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    await Promise.all(this.#open);
    this.#agent.destroy();
    const sorted = this.#times.toSorted((one, other) => one - other);
    return {
      target: this.#target,
      sent: this.#sent,
      failed: this.#failed,
      failures: this.#failures,
      seconds,
      medianMs: sorted[sorted.length >> 1] ?? 0,
      slowestMs: sorted.at(-1) ?? 0,
    };
  }

  #send(): void {
    this.#sent += 1;
    const startedAt = performance.now();
    const sent = this.#ask()
      .catch((error: unknown) => String(error))
      .then((problem) => {
        this.#times.push(performance.now() - startedAt);
        this.#open.delete(sent);
        if (problem === undefined) return;
        this.#failed += 1;
        const at = new Date().toISOString();
        if (this.#failures.length < maxFailures) this.#failures.push(`${at} ${this.#target.name}: ${problem}`);
      });
    this.#open.add(sent);
  }

  /** Returns what is wrong with the response. Rejects if there is none. */
  #ask(): Promise<string | undefined> {
    const { url, sha256, method = "GET" } = this.#target;
    return new Promise((resolve, reject) => {
      const call = request(url, { agent: this.#agent, method, timeout: timeoutMs }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          const body = Buffer.concat(chunks);
          if (response.statusCode !== 200) resolve(`${response.statusCode} ${body.toString("utf8").slice(0, 300)}`);
          else if (sha256 !== undefined && createHash("sha256").update(body).digest("hex") !== sha256) resolve("other content");
          else resolve(undefined);
        });
      });
      call.once("timeout", () => call.destroy(new Error(`no response within ${timeoutMs} ms`)));
      call.once("error", reject);
      if (method === "POST") call.setHeader("content-type", "application/json").end("{}");
      else call.end();
    });
  }
}

const loads: TargetLoad[] = [];
process.on("message", (command: LoadCommand) => {
  if ("targets" in command) {
    for (const target of command.targets) {
      const load = new TargetLoad(target);
      loads.push(load);
      void load.run();
    }
  } else {
    void Promise.all(loads.map((load) => load.end())).then((reports) => {
      process.send?.(reports, () => process.disconnect());
    });
  }
});
process.once("disconnect", () => process.exit(0));
