import { runStatuses } from "./features/activities/run-status.tsx";
import { columns, type Sorting } from "./features/apps/sorting.ts";
import type { FlowSearch } from "./features/login/addresses.ts";
import type { AppState, DeliveryStatus, RunStatus, SystemEventType } from "./generated/operations.ts";
import { deliveryStatuses } from "./parts/delivery-status.tsx";
import { eventTypes } from "./parts/event-types.ts";
import { appStates } from "./parts/state-badge.tsx";

/** The query of an address, as a person or a link wrote it. What a page does not know is left out. */
export type Written = Record<string, unknown>;

export const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

export const searched = (search: Written): { search?: string | undefined } => ({ search: textOf(search["search"]) });

export const statusOfDelivery = (search: Written): DeliveryStatus | undefined =>
  deliveryStatuses.find((each) => each === search["status"]);
export const statusOfRun = (search: Written): RunStatus | undefined => runStatuses.find((each) => each === search["status"]);
export const typeOfEvent = (search: Written): SystemEventType | undefined => eventTypes.find((each) => each === search["type"]);

/** What the list of apps shows, and in which order. */
export const appsSearch = (search: Written): { search?: string | undefined; state?: AppState | undefined } & Sorting => ({
  ...searched(search),
  state: appStates.find((each) => each === search["state"]),
  by: columns.find((each) => each === search["by"]),
  order: search["order"] === "descending" ? "descending" : undefined,
});

interface LoginSearch extends FlowSearch {
  readonly id?: string | undefined;
}

/** Of the pages of the identity provider. */
export const loginSearch = (search: Written): LoginSearch => ({
  flow: textOf(search["flow"]),
  return_to: textOf(search["return_to"]),
  aal: search["aal"] === "aal2" ? "aal2" : undefined,
  refresh: search["refresh"] === true ? true : undefined,
  id: textOf(search["id"]),
});
