export {
  type EventDefinition,
  type EventEffect,
  type EventField,
  type EventType,
  eventBodyFields,
  eventDefinitions,
  eventEffects,
  eventTypesAffecting,
} from "./definitions.ts";
export { type EventApp, type EventBody, type EventPayloads, eventBody, readEventApp } from "./event-body.ts";

export { type SystemEventView, systemEventOf, systemEventSources } from "./system-events.ts";

/** Exchange of all events (docs/interface/events.md#broker-layout). */
export const eventExchange = "appserver.events";
