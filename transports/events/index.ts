export { EventFanout, type EventSubscriptionOptions, SubscriptionOverflowError } from "./event-fanout.ts";
