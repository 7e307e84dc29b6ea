import assert from "node:assert/strict";
import { approvePermissions, eventually, send } from "@appserver/testing/kit";
import { switchBy } from "../../contract/commands.ts";
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
    await approvePermissions(platform, name);
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
    await switchBy(this.#platform, `upgradeApp(name: "${this.name}")`, operationTimeoutMs);
  }

  /** Switches to the release that served before. Resolves when the operation has succeeded. */
  async rollBack(): Promise<void> {
    await switchBy(this.#platform, `rollbackApp(name: "${this.name}")`, operationTimeoutMs);
  }

  /** Changes its settings as an administrator. */
  async set(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const { data } = await this.#platform.graphql("query ($name: String!) { app(name: $name) { id } }", { name: this.name });
    const { app } = data as { readonly app: { readonly id: string } };
    const { errors } = await this.#platform.graphql(
      "mutation ($id: ID!, $settings: JSON!) { updateSettings(appID: $id, settings: $settings) { success } }",
      { id: app.id, settings },
    );
    assert.equal(errors, undefined, JSON.stringify(errors));
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
