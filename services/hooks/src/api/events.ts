import { readEventApp } from "@appserver/contracts/events";
import { type Logger, messageOf } from "@appserver/kernel";
import type { Broker, Subscription } from "@appserver/kernel/ports";

/** After these events an app may have other hooks, another backend, or no installation. */
const appTypes = ["app.installed", "app.uninstalled", "app.state_changed", "app.upgraded", "app.rolled_back"] as const;

/** After this event an app may have lost or gained the permission for its subscriptions. */
const permissionType = "permission.changed";

/**
 * Subscribes to hints that an app changed. Every replica receives them. Their handlers are safe to run on each replica, and
 * missing a hint is safe.
 */
export function observeApps(
  broker: Pick<Broker, "observe">,
  onChange: (appName: string) => Promise<void>,
  logger: Logger,
): Promise<Subscription> {
  return broker.observe([...appTypes, permissionType], (event) => {
    const name = event.type === permissionType ? appOf(event.body["subject"]) : readEventApp(event.body).name;
    if (name === undefined) return;
    onChange(name).catch((error: unknown) =>
      logger.warn({ reason: messageOf(error), app: name }, "a change of an app was not taken in; the next look will"),
    );
  });
}

/** `app:com.example.clock` → its name; undefined for other subjects. */
function appOf(subject: unknown): string | undefined {
  return typeof subject === "string" && subject.startsWith("app:") ? subject.slice("app:".length) : undefined;
}
