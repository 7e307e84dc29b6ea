import type { Call } from "@appserver/kernel";
import type { WorkStream, WorkStreams } from "../ports.ts";
import { type ActivityContext, requireApp } from "./context.ts";

/** Opens a stream of work for the calling app. Throws for callers that are not apps, and NOT_FOUND if it is not installed. */
export async function openWorkStream(
  context: ActivityContext & { readonly streams: WorkStreams },
  call: Call,
): Promise<WorkStream> {
  const { name } = await context.catalogue.app(requireApp(call, "work"));
  return context.streams.open(name);
}
