import type { EventSubject } from "../ports.ts";
import type { HooksContext } from "./context.ts";

const unknown = { id: "00000000-0000-0000-0000-000000000000", version: "0" };

/** The subject of events of hooks that belong to no app (docs/interface/events.md#body). */
export const platformSubject: EventSubject = { ...unknown, name: "appserver" };

/** Returns the subject of events about deliveries to the app. If the app is not installed any more, only its name is known. */
export async function subscriberSubject({ apps }: Pick<HooksContext, "apps">, appName: string): Promise<EventSubject> {
  const { id, version } = (await apps.get(appName)) ?? unknown;
  return { name: appName, id, version };
}
