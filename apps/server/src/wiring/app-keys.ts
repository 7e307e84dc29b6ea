import { X509Certificate } from "node:crypto";
import type { AppCatalogue } from "@appserver/marketplace";
import type { AppKey, AppKeys } from "@appserver/proxy";

/** Public keys of installed apps, kept in memory until an app changes. */
export class CatalogueAppKeys implements AppKeys {
  readonly #catalogue: AppCatalogue;
  readonly #known = new Map<string, AppKey>();

  constructor(catalogue: AppCatalogue) {
    this.#catalogue = catalogue;
  }

  find(appName: string): AppKey | Promise<AppKey | undefined> {
    return this.#known.get(appName) ?? this.#load(appName);
  }

  invalidate(appName: string): void {
    this.#known.delete(appName);
  }

  /** Unknown apps are not remembered: names that callers make up must not fill memory. */
  async #load(appName: string): Promise<AppKey | undefined> {
    const installed = await this.#catalogue.find(appName);
    if (!installed) return undefined;
    const certificate = new X509Certificate(installed.manifest.certificate);
    const key: AppKey = {
      id: installed.app.id,
      key: certificate.publicKey,
      validFrom: certificate.validFromDate.getTime(),
      validTo: certificate.validToDate.getTime(),
    };
    this.#known.set(appName, key);
    return key;
  }
}
