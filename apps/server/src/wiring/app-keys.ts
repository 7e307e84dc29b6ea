import { X509Certificate } from "node:crypto";
import { type Clock, SingleFlight } from "@appserver/kernel";
import type { AppCatalogue } from "@appserver/marketplace";
import type { AppKey, AppKeys } from "@appserver/proxy";

/** Events may be lost: an app that was uninstalled or got another key is refused within 30 s, a lost one included. */
const knownMs = 25_000;
/** Callers make names up. An app that is being installed is found a second later, or at the event. */
const unknownMs = 1_000;
const maxEntries = 10_000;

interface Entry {
  readonly key: AppKey | undefined;
  readonly freshUntil: number;
}

/** Public keys of installed apps, kept in memory for some seconds or until an event says that the app changed. */
export class CatalogueAppKeys implements AppKeys {
  readonly #catalogue: Pick<AppCatalogue, "pinnedCertificate">;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #flights = new SingleFlight<string, AppKey | undefined>();
  /** Counts invalidations: a key that was read before one must not be cached after it. */
  #generation = 0;

  constructor(catalogue: Pick<AppCatalogue, "pinnedCertificate">, clock: Clock) {
    this.#catalogue = catalogue;
    this.#clock = clock;
  }

  find(appName: string): AppKey | undefined | Promise<AppKey | undefined> {
    const entry = this.#entries.get(appName);
    if (entry && entry.freshUntil > this.#clock.monotonic()) return entry.key;
    return this.#flights.run(appName, () => this.#load(appName));
  }

  /** Forgets one app, or all of them. */
  invalidate(appName?: string): void {
    this.#generation += 1;
    this.#flights.forget(appName);
    if (appName === undefined) this.#entries.clear();
    else this.#entries.delete(appName);
  }

  async #load(appName: string): Promise<AppKey | undefined> {
    const generation = this.#generation;
    // Counted from before the question: the answer is as old as that.
    const askedAt = this.#clock.monotonic();
    const pinned = await this.#catalogue.pinnedCertificate(appName);
    const key = pinned && keyOf(pinned);
    if (generation === this.#generation) this.#keep(appName, { key, freshUntil: askedAt + (key ? knownMs : unknownMs) });
    return key;
  }

  /** The oldest makes room. */
  #keep(appName: string, entry: Entry): void {
    this.#entries.delete(appName);
    const [oldest] = this.#entries.size >= maxEntries ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(appName, entry);
  }
}

function keyOf({ appId, certificate }: { readonly appId: string; readonly certificate: Uint8Array }): AppKey {
  const { publicKey, validFromDate, validToDate } = new X509Certificate(certificate);
  return { id: appId, key: publicKey, validFrom: validFromDate.getTime(), validTo: validToDate.getTime() };
}
