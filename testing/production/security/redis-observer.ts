import { createClient } from "@redis/client";

type Client = ReturnType<typeof connect>;

/** Observes a Redis that only this test uses. */
export class RedisObserver {
  readonly client: Client;
  readonly #monitor: Client;
  readonly #commands: string[] = [];

  private constructor(client: Client, monitor: Client) {
    this.client = client;
    this.#monitor = monitor;
  }

  /** From now on keeps every command, including those for keys that expire before they are read. */
  static async open(url: string): Promise<RedisObserver> {
    const client = connect(url);
    const observer = new RedisObserver(client, connect(url));
    await Promise.all([client.connect(), observer.#monitor.connect()]);
    await observer.#monitor.monitor((command) => observer.#commands.push(command.toString()));
    return observer;
  }

  get commands(): string {
    return this.#commands.join("\n");
  }

  /** Every key with its value, by `<type> <key>`. */
  async dump(): Promise<Readonly<Record<string, string>>> {
    const dump: Record<string, string> = {};
    for await (const keys of this.client.scanIterator())
      for (const key of keys) {
        const type = await this.client.type(key);
        dump[`${type} ${key}`] = JSON.stringify(await this.#read(type, key)) ?? "";
      }
    return dump;
  }

  async stop(): Promise<void> {
    this.#monitor.destroy();
    await this.client.close();
  }

  /** Not with DUMP, which compresses values. */
  async #read(type: string, key: string): Promise<unknown> {
    switch (type) {
      case "string":
        return this.client.get(key);
      case "hash":
        return this.client.hGetAll(key);
      case "list":
        return this.client.lRange(key, 0, -1);
      case "set":
        return this.client.sMembers(key);
      case "zset":
        return this.client.zRangeWithScores(key, 0, -1);
      case "stream":
        return this.client.xRange(key, "-", "+");
      case "none":
        // The key expired between listing and reading.
        return undefined;
      default:
        throw new Error(`no way to read ${key}: it is a ${type}`);
    }
  }
}

function connect(url: string) {
  return createClient({ url });
}
