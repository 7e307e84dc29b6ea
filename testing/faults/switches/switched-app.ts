import assert from "node:assert/strict";
import { approvePermissions } from "@appserver/sdk";
import { eventually, send } from "@appserver/testing/kit";
import type { Release } from "./releases.ts";
import type { SwitchPlatform } from "./switch-platform.ts";

export interface Operation {
  readonly id: string;
  readonly stage: string;
  readonly done: boolean;
  readonly error: { readonly message: string } | null;
}

export interface AppView {
  readonly id: string;
  readonly version: string;
  readonly state: string;
  readonly versionHistory: readonly {
    readonly kind: string;
    readonly fromVersion: string | null;
    readonly version: string;
    readonly reason: string | null;
  }[];
  readonly ui: { readonly entryAsset: { readonly url: string } } | null;
  readonly deployment: { readonly generation: number; readonly containerName: string } | null;
}

const operationFields = "operation { id stage done error { message } }";
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

  /** Sets the tag of its next images. */
  async setImageStage(stage: string | null): Promise<void> {
    const { id } = await this.view();
    const document = `mutation ($id: ID!, $settings: JSON!) {
      updateSettings(appID: $id, settings: $settings) { success error { message } } }`;
    const { updateSettings } = await this.#query<{ updateSettings: { success: boolean; error: unknown } }>(document, {
      id,
      settings: { "docker.image.stage": stage },
    });
    assert.ok(updateSettings.success, JSON.stringify(updateSettings.error));
  }

  /** Switches to the newest release. Resolves when the operation has ended. */
  upgrade(): Promise<Operation> {
    return this.#start("upgradeApp");
  }

  /** Switches to the release that served before. Resolves when the operation has ended. */
  rollBack(): Promise<Operation> {
    return this.#start("rollbackApp");
  }

  async view(): Promise<AppView> {
    const { app } = await this.#query<{ app: AppView }>(
      `query ($name: String!) { app(name: $name) {
         id version state versionHistory(first: 100) { kind fromVersion version reason }
         ui { entryAsset { url } } deployment { generation containerName } } }`,
      { name: this.name },
    );
    return app;
  }

  async #start(field: string): Promise<Operation> {
    const document = `mutation ($name: String!) { ${field}(name: $name) { ${operationFields} } }`;
    const started = await this.#query<Record<string, { operation: Operation }>>(document, { name: this.name });
    const { id } = started[field]?.operation ?? assert.fail("no operation");
    const read = async (): Promise<Operation> => {
      const found = await this.#query<{ operation: Operation }>(
        "query ($id: ID!) { operation(id: $id) { id stage done error { message } } }",
        { id },
      );
      return found.operation;
    };
    return await eventually(read, ({ done }) => done, {
      timeoutMs: operationTimeoutMs,
      intervalMs: 100,
      what: `the end of the operation ${field}`,
    });
  }

  async #query<T>(document: string, variables: object): Promise<T> {
    const { data, errors } = await this.#platform.graphql(document, variables);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data as T;
  }
}
