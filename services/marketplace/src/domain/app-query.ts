import type { Page } from "@appserver/kernel";
import type { AppRecord } from "./app.ts";
import type { AppState } from "./app-state.ts";

/** Which registered apps a list has, and in which order. */
export interface AppQuery {
  readonly names?: readonly string[];
  readonly states?: readonly AppState[];
  /** Matches part of the name or of the display name, case-insensitively. */
  readonly search?: string;
  /** Default: by name. Apps that are equal in it are in the order of their names. */
  readonly order?: AppOrder;
  readonly descending?: boolean;
  /** The page starts after this app: its name, and its value in an order that is not by name. */
  readonly after?: { readonly name: string; readonly value?: string | Date };
  readonly limit: number;
}

/** `UPDATED`: by the time of the last change. */
export type AppOrder = "NAME" | "STATE" | "UPDATED";

export interface AppPage extends Page<AppRecord> {
  /** Counts the apps that match the filter, over all pages; this costs a query. */
  totalCount(): Promise<number>;
}
