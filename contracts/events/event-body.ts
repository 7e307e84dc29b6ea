import type { EventField, EventFieldTypes, EventType, eventBodyFields, eventDefinitions } from "./definitions.ts";

type Body<Fields extends Readonly<Record<string, EventField>>> = {
  readonly [Name in keyof Fields]: EventFieldTypes[Fields[Name]["type"]];
};

/** Fields of each event type in addition to those of every body. */
export type EventPayloads = { readonly [T in EventType]: Body<(typeof eventDefinitions)[T]["fields"]> };

export type EventBody<T extends EventType> = Body<typeof eventBodyFields> & EventPayloads[T];

/** The app that an event is about. A missing field is undefined. */
export interface EventApp {
  readonly name: string | undefined;
  readonly id: string | undefined;
}

/** Reads `AppName` or `app_name`, and `AppID` or `app_id` (docs/interface/events.md#body). */
export function readEventApp(body: Readonly<Record<string, unknown>>): EventApp {
  return { name: firstText(body["AppName"], body["app_name"]), id: firstText(body["AppID"], body["app_id"]) };
}

/** Builds a body with both spellings of the app's name and id. */
export function eventBody<T extends EventType>(
  app: { readonly name: string; readonly id: string; readonly version: string },
  timestamp: string,
  payload: EventPayloads[T],
): EventBody<T> {
  return {
    AppName: app.name,
    app_name: app.name,
    AppID: app.id,
    app_id: app.id,
    version: app.version,
    timestamp,
    ...payload,
  };
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}
