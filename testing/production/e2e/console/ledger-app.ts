import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { ActivityError, createActivityWorker } from "@appserver/sdk";
import type { PlatformUnderTest } from "@appserver/testing/kit";
import { testApp, untilRouted } from "@appserver/testing/kit";
import { purgeApp } from "../../../contract/commands.ts";

export const ledger = "com.example.ledger";
export const booked = `${ledger}.booked`;

const inputSchema = {
  type: ["object", "null"],
  properties: { pauseMs: { type: "integer", minimum: 0, multipleOf: 500 }, fails: { type: "boolean" } },
  additionalProperties: false,
};

/** An app whose backend and worker run in the test. It receives its own hook over POST. */
export class LedgerApp {
  /** Status of its responses to hooks. */
  status = 204;
  /** Bodies of the hooks that it received. */
  readonly received: string[] = [];
  readonly #server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === "POST") this.received.push(body);
      response.writeHead(request.method === "POST" ? this.status : 200).end();
    });
  });
  #stopWorker: () => Promise<unknown> = async () => {};
  #remove: () => Promise<void> = async () => {};

  static async install(platform: PlatformUnderTest): Promise<LedgerApp> {
    const app = new LedgerApp();
    await app.#install(platform);
    return app;
  }

  async #install(platform: PlatformUnderTest): Promise<void> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = this.#server.address() as AddressInfo;
    const manifest = await testApp({
      name: ledger,
      display_name: "Ledger",
      hooks: [{ hook_name: booked, path: "/booked" }],
      activities: [
        {
          name: "close-books",
          max_retries: 0,
          input_schema: JSON.stringify(inputSchema),
          schedule: { cron: "30 4 1 1 *", timezone: "Europe/Berlin" },
        },
      ],
      web_app: { api: { base_path: "/", upstream_base_url: `http://127.0.0.1:${port}` } },
    });
    await platform.register(manifest);
    this.#remove = () => purgeApp(platform, ledger);
    await platform.client().marketplace.installApp({ name: ledger });
    await untilRouted(platform.httpUrl, ledger);
    const credentials = { name: ledger, privateKey: manifest.keys.privateKey };
    const worker = createActivityWorker({ grpcUrl: platform.grpcUrl, app: credentials });
    worker.activity("close-books", async ({ input, signal, progress }) => {
      const { pauseMs = 0, fails = false } = (input ?? {}) as { readonly pauseMs?: number; readonly fails?: boolean };
      progress(0.4, "adding up");
      await sleep(pauseMs, undefined, { signal });
      if (fails) throw new ActivityError("the books do not balance", { code: "UNBALANCED" });
      return { accounts: 12 };
    });
    worker.start();
    this.#stopWorker = () => worker.stop();
  }

  async stop(): Promise<void> {
    await this.#stopWorker();
    await this.#remove();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
