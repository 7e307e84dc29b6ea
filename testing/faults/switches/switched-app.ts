import assert from "node:assert/strict";
import { approvePermissions, type PlatformClient } from "@appserver/sdk";
import { eventually, send } from "@appserver/testing/kit";
import type { Release } from "./releases.ts";
import type { SwitchPlatform } from "./switch-platform.ts";

export interface AppView {
  readonly version: string;
  readonly versionHistory: readonly { readonly kind: string; readonly version: string }[];
  readonly ui: { readonly entryAsset: { readonly url: string } } | null;
  readonly deployment: { readonly generation: number } | null;
}

const operationTimeoutMs = 120_000;

/** An installed app whose version an administrator changes. */
export class SwitchedApp {
  readonly name: string;
  readonly #platform: SwitchPlatform;

  private constructor(platform: SwitchPlatform, name: string) {
    this.#platform = platform;
    this.name = name;
  }

  /** Registers and installs the first release. Resolves when every server proxies calls of `path` to it. */
  static async install(platform: SwitchPlatform, { app, folder }: Release, path: string): Promise<SwitchedApp> {
    const { name } = app.manifest;
    await platform.publish(name, folder);
    await platform.register(app);
    await approvePermissions(platform.client(), name);
    await platform.client().marketplace.installApp({ name });
    const installed = new SwitchedApp(platform, name);
    for (const httpUrl of platform.httpUrls) {
      const look = async () => (await send(httpUrl, installed.path(path))).status;
      await eventually(look, (status) => status === 200, { timeoutMs: 60_000, what: `${name} is served at ${httpUrl}` });
    }
    return installed;
  }

  /** Returns the public path of one of its routes. */
  path(route: string): string {
    return `/api/apps/${this.name}${route}`;
  }

  /** Makes a release available. */
  async offer({ app, folder }: Release): Promise<void> {
    await this.#platform.publish(this.name, folder);
    await this.#platform.register(app);
  }

  /** Switches to the newest release. Resolves when the operation has succeeded. */
  async upgrade(): Promise<void> {
    const { marketplace } = this.#platform.client();
    await untilDone(marketplace, await marketplace.upgradeApp({ name: this.name }));
  }

  /** Switches to the release that served before. Resolves when the operation has succeeded. */
  async rollBack(): Promise<void> {
    const { marketplace } = this.#platform.client();
    await untilDone(marketplace, await marketplace.rollbackApp({ name: this.name }));
  }

  async view(): Promise<AppView> {
    const { data, errors } = await this.#platform.graphql(
      `query ($name: String!) { app(name: $name) {
         version versionHistory(first: 100) { kind version } ui { entryAsset { url } } deployment { generation } } }`,
      { name: this.name },
    );
    assert.equal(errors, undefined, JSON.stringify(errors));
    return (data as { readonly app: AppView }).app;
  }
}

/** Waits until the operation has ended. Rejects with its error. */
async function untilDone(
  marketplace: PlatformClient["marketplace"],
  { operation }: { readonly operation?: { readonly id: string } | undefined },
): Promise<void> {
  const look = async (): Promise<boolean> => {
    const { operation: seen } = await marketplace.getOperation({ id: operation?.id ?? "" });
    assert.equal(seen?.error, undefined);
    return seen?.done === true;
  };
  await eventually(look, Boolean, { timeoutMs: operationTimeoutMs, intervalMs: 100, what: "the end of the operation" });
}
