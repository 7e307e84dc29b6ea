import { i18n } from "../../i18n.ts";
import { type Choice, withoutDoubles } from "../../parts/filter-choices.ts";

/** The actions that the platform records. */
const titles: Readonly<Record<string, string>> = {
  "access.accept": i18n.t("Accept a request for access"),
  "access.decline": i18n.t("Decline a request for access"),
  "access.request": i18n.t("Ask for access"),
  "activity.cancel": i18n.t("Cancel a run"),
  "activity.delete_schedule": i18n.t("Delete a schedule"),
  "activity.pause": i18n.t("Pause a schedule"),
  "activity.resume": i18n.t("Resume a schedule"),
  "activity.schedule": i18n.t("Schedule an activity"),
  "activity.trigger": i18n.t("Trigger an activity"),
  "agent.call": i18n.t("Call a tool"),
  "agent.consent": i18n.t("Let a program act"),
  "agent.revoke": i18n.t("End what a program may do"),
  "app.clone": i18n.t("Clone an app"),
  "app.create_snapshot": i18n.t("Create a snapshot"),
  "app.delete": i18n.t("Delete an app"),
  "app.delete_snapshot": i18n.t("Delete a snapshot"),
  "app.delete_storage": i18n.t("Delete the storage of an app"),
  "app.disable": i18n.t("Disable an app"),
  "app.enable": i18n.t("Enable an app"),
  "app.export_data": i18n.t("Export the data of an app"),
  "app.import_data": i18n.t("Import the data of an app"),
  "app.install": i18n.t("Install an app"),
  "app.redeploy": i18n.t("Redeploy an app"),
  "app.register": i18n.t("Register an app"),
  "app.replace_key": i18n.t("Replace the key of an app"),
  "app.restart": i18n.t("Restart an app"),
  "app.restore_snapshot": i18n.t("Restore a snapshot"),
  "app.rollback": i18n.t("Roll an app back"),
  "app.uninstall": i18n.t("Uninstall an app"),
  "app.update": i18n.t("Update an app"),
  "app.upgrade": i18n.t("Upgrade an app"),
  "backup.start": i18n.t("Start a backup"),
  "hook.recover": i18n.t("Recover deliveries"),
  "hook.resend": i18n.t("Resend a delivery"),
  "hook.trigger": i18n.t("Trigger a hook"),
  "image.push": i18n.t("Push an image"),
  "permission.approve": i18n.t("Approve permissions"),
  "permission.revoke": i18n.t("Revoke permissions"),
  "person.disable": i18n.t("Disable a person"),
  "person.enable": i18n.t("Enable a person"),
  "person.export": i18n.t("Export what is stored of a person"),
  "person.invite": i18n.t("Invite a person"),
  "person.remove": i18n.t("Remove a person"),
  "pipeline.trust": i18n.t("Trust a pipeline"),
  "pipeline.distrust": i18n.t("Distrust a pipeline"),
  "service_account.create": i18n.t("Create a service account"),
  "service_account.delete": i18n.t("Delete a service account"),
  "service_account.token_create": i18n.t("Create a token"),
  "service_account.token_revoke": i18n.t("Revoke a token"),
  "settings.delete": i18n.t("Delete settings"),
  "settings.update": i18n.t("Change settings"),
};

export function actionTitle(action: string): string {
  return (Object.hasOwn(titles, action) ? titles[action] : undefined) ?? action;
}

/** Returns the actions in words, in their order, and those that entries have besides. */
export function actionChoices(seen: readonly string[]): readonly Choice[] {
  const known = Object.entries(titles).map(([value, label]) => ({ value, label }));
  const others = seen.map((value) => ({ value, label: value }));
  return withoutDoubles([...known, ...others]).toSorted((a, b) => a.label.localeCompare(b.label));
}
