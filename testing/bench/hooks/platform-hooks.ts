import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import {
  createHookSubscriber,
  createPlatformClient,
  ensureAppKeys,
  type HookSubscriber,
  loadManifest,
  registerApp,
  triggerHook,
} from "@appserver/sdk";
import { approvePermissions, type RunningPlatform } from "@appserver/testing/kit";
import type { EventSystem } from "../open-loop.ts";
import { UnaryCalls } from "../unary-calls.ts";

const source = "com.example.benchsource";
const hookName = `${source}.happened`;
const subscriberNames = ["com.example.benchone", "com.example.benchtwo"];

/** The platform as apps use it: triggers by unary calls, two subscribers over streams. */
export class PlatformHooks implements EventSystem {
  readonly subscribers = subscriberNames.length;
  onDelivery: (number: number) => void = () => {};
  onFailure: (error: unknown) => void = () => {};
  readonly #calls: UnaryCalls;
  readonly #subscribers: readonly HookSubscriber[];

  private constructor(calls: UnaryCalls, subscribers: (deliver: (number: number) => void) => readonly HookSubscriber[]) {
    this.#calls = calls;
    this.#subscribers = subscribers((number) => this.onDelivery(number));
  }

  /** Installs the apps and opens their streams. */
  static async open(platform: RunningPlatform): Promise<PlatformHooks> {
    const { grpcUrl } = platform;
    const client = createPlatformClient({ grpcUrl });
    const keys = new Map<string, Awaited<ReturnType<typeof ensureAppKeys>>>();
    for (const name of [source, ...subscriberNames]) {
      const folder = await mkdtemp(join(tmpdir(), "bench-app-"));
      const api = "web_app: { api: { base_path: /, upstream_base_url: http://127.0.0.1:9 } }";
      const asks = `required_permissions: [{ scope: "hook:subscribe", resource_type: ${source}, reason: Bench }]`;
      await writeFile(join(folder, "app.yaml"), `name: ${name}\nversion: 1.0.0\ndisplay_name: Bench\n${asks}\n${api}\n`);
      keys.set(name, await ensureAppKeys(folder, name));
      await registerApp(client, await loadManifest(folder, await ensureAppKeys(folder, name)));
      await approvePermissions(platform, name);
      await client.marketplace.installApp({ name });
      await rm(folder, { recursive: true });
    }
    const hooks = new PlatformHooks(await UnaryCalls.open(grpcUrl), (deliver) =>
      [...keys].slice(1).map(([name, { privateKey }]) => {
        const subscriber = createHookSubscriber({ grpcUrl, app: { name, privateKey }, maxInFlight: 200 });
        subscriber.onHook(hookName, ({ data }) => deliver(Number(data))).start();
        return subscriber;
      }),
    );
    while ((await triggerHook(client, hookName, -1)).subscribers < subscriberNames.length) await sleep(100);
    // Deliveries of these are not measured.
    await sleep(1_000);
    return hooks;
  }

  async trigger(number: number): Promise<void> {
    await this.#calls.call(HooksService.method.triggerHook, {
      name: hookName,
      data: { kind: { case: "numberValue", value: number } },
    });
  }

  async close(): Promise<void> {
    this.#calls.close();
    for (const subscriber of this.#subscribers) await subscriber.stop();
  }
}
