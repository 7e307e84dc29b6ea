import { RegistryError } from "../domain/registry-error.ts";

/** Limits the bodies in progress of this process: of each client, and of all. */
export class Places {
  readonly #limits: { readonly ofClient: number; readonly inAll: number };
  readonly #byClient = new Map<string, number>();
  #all = 0;

  constructor(limits: { readonly ofClient: number; readonly inAll: number }) {
    this.#limits = limits;
  }

  /** Rejects with TOOMANYREQUESTS, or as `work` does. */
  async during<T>(client: string, work: () => Promise<T>): Promise<T> {
    const own = this.#byClient.get(client) ?? 0;
    if (own >= this.#limits.ofClient || this.#all >= this.#limits.inAll)
      throw new RegistryError("TOOMANYREQUESTS", "too many blobs are transferred at a time; retry later");
    this.#byClient.set(client, own + 1);
    this.#all += 1;
    try {
      return await work();
    } finally {
      this.#all -= 1;
      const left = (this.#byClient.get(client) ?? 1) - 1;
      if (left > 0) this.#byClient.set(client, left);
      else this.#byClient.delete(client);
    }
  }
}
