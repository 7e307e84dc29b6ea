import type { AppApi, AppRoute } from "@appserver/contracts/manifest";
import type { MaybePromise } from "@appserver/kernel";
import type { DirectCalls } from "@appserver/proxy";

/** An app whose API is served. */
export interface ServedApp {
  readonly name: string;
  /** Written by the app. */
  readonly displayName: string;
  /** Written by the app. Undefined if it says nothing of itself. */
  readonly description?: string | undefined;
  readonly api: AppApi;
  /** Changes with any of these, and with what {@link AppToolSource.operationsOf} returns. */
  readonly revision: string;
}

/** What the description of an API says of one operation. */
export interface ToolOperation {
  readonly method: string;
  /** Below the base of the API, percent-encoded, with parameters: `/items/{id}`. */
  readonly path: string;
  readonly operationId?: string | undefined;
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  readonly parameters: readonly ToolParameter[];
  /** JSON. Undefined: there is none. */
  readonly body?: { readonly required: boolean; readonly schema: object } | undefined;
}

export interface ToolParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: object;
}

export type DescribedOperations = ReadonlyMap<AppRoute, readonly ToolOperation[]>;

/** Calls routes of apps as a caller. */
export type AppRequests = Pick<DirectCalls, "call" | "check">;

/** The apps whose routes are tools. */
export interface AppToolSource {
  readonly requests: AppRequests;
  /** Makes names that apps cannot forge. The same on each server. */
  readonly nameKey: Uint8Array;
  /** Returns the apps that are installed and served now, in any order. */
  served(): readonly ServedApp[];
  /**
   * Returns what is known of the operations of each route. Undefined if the app describes none. It is called once for a revision of the app,
   * and again after it has rejected.
   */
  operationsOf?(app: ServedApp): MaybePromise<DescribedOperations | undefined>;
}
