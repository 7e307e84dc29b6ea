import type { PlatformClient } from "@appserver/sdk";
import { type Code, ConnectError } from "@connectrpc/connect";

/** Writes one number after the other into a setting; the last one acknowledged must be the one stored. */
export class SettingsWriter {
  acknowledged = 0;
  readonly refusals: Code[] = [];
  readonly #client: () => PlatformClient;
  readonly #appId: string;
  #next = 1;

  constructor(client: () => PlatformClient, appId: string) {
    this.#client = client;
    this.#appId = appId;
  }

  async write(): Promise<void> {
    const size = this.#next;
    await this.#client().settings.updateSettings({ appId: this.#appId, values: { "notes.page_size": size } });
    this.acknowledged = size;
    this.#next += 1;
  }

  async tryWriting(): Promise<void> {
    await this.write().catch((error: unknown) => this.refusals.push(ConnectError.from(error).code));
  }

  async stored(): Promise<unknown> {
    const { settings } = await this.#client().settings.getSettings({ appId: this.#appId });
    return settings?.values?.["notes.page_size"];
  }
}
