import type { Call } from "@appserver/kernel";
import { type ActivityContext, requireApp } from "./context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { WorkSession } from "./work-session.ts";

/** Opens a stream of work for the calling app. Throws for callers that are not apps, and NOT_FOUND if it is not installed. */
export async function openWorkStream(context: ActivityContext, dispatcher: Dispatcher, call: Call): Promise<WorkSession> {
  const { name } = await context.catalogue.app(requireApp(call, "work"));
  return dispatcher.open(name);
}
