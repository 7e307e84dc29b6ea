import type { KeyObject } from "node:crypto";
import type { ApiDescription } from "@appserver/contracts/api-description";
import type { MissingForwardKey } from "@appserver/contracts/forwarding";
import type { AppRecord } from "../../domain/app.ts";
import type { ReleaseRef } from "../../ports.ts";

/** Where the document that describes an API is. */
export interface DocumentSource {
  readonly url: string;
  /** Whether the platform runs the server, and so chose its address. */
  readonly managed: boolean;
  /** Whether it is the backend of the app, which may refuse what the platform has not signed. */
  readonly isBackend: boolean;
}

/** An app, with the generation whose backend has the document. */
export type DescribedApp = Pick<AppRecord, "id" | "name" | "generation">;

/** The secrets that the platform shares with backends, to sign what it sends (docs/interface/proxy.md#forward-signature). */
export interface DocumentKeys {
  of(app: DescribedApp, managed: boolean): Promise<KeyObject | MissingForwardKey>;
}

/** Reads the documents of apps. The rules for addresses are those of proxied calls. */
export interface ApiDocuments {
  /**
   * Returns the body of a response with the status 200, to a GET without credentials of a caller. It is signed if it goes to the app's
   * backend. Rejects for every other response, for one that is not there in 5 s, and for more than 1 MiB; the message says why to
   * developers of the app.
   */
  read(source: DocumentSource, app: DescribedApp): Promise<Uint8Array>;
}

/** What came of reading the document of a release. */
export interface DescriptionReading {
  readonly readAt: Date;
  readonly result: ApiDescription | { readonly problem: string };
}

/** What is stored of a release, without the operations. */
export interface DescriptionStatus {
  /** When the document was last read. */
  readonly readAt: Date;
  /** Of the document whose description is stored, SHA-256, hex. */
  readonly digest: string | undefined;
  readonly operations: number;
  /** Why the last reading failed. What an earlier reading of the release found is kept. */
  readonly problem: string | undefined;
}

/** The descriptions of the APIs of releases. Each is deleted with its release. */
export interface ApiDescriptions {
  /** Replaces what is stored of the release, but for the description if the reading failed. Stores nothing for a release that is deleted. */
  save(release: ReleaseRef, reading: DescriptionReading): Promise<void>;
  find(release: ReleaseRef): Promise<ApiDescription | undefined>;
  status(release: ReleaseRef): Promise<DescriptionStatus | undefined>;
  /** Returns the releases whose last reading failed. */
  failed(): Promise<readonly ReleaseRef[]>;
}
