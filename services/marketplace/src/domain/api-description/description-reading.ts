import type { ApiDescription } from "@appserver/contracts/api-description";
import type { AppRecord } from "../app.ts";

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
