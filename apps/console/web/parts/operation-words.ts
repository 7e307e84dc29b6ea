import { i18n } from "../i18n.ts";
import { words } from "./words.ts";

interface Command {
  readonly kind: string;
  readonly version: string;
}

/** Returns what a command on an app does: "Upgrade to 1.1.0". */
export function operationText({ kind, version }: Command): string {
  switch (kind) {
    case "install":
      return i18n.t("Installation of {version}", { version });
    case "upgrade":
      return i18n.t("Upgrade to {version}", { version });
    case "rollback":
      return i18n.t("Rollback to {version}", { version });
    case "revert":
      return i18n.t("Return to {version}", { version });
    case "redeploy":
      return i18n.t("New deployment of {version}", { version });
    case "register":
      return i18n.t("Registration of {version}", { version });
    default:
      return kinds[kind] ?? words(kind.replaceAll("_", " "));
  }
}

/** Commands whose version says nothing. */
const kinds: Readonly<Record<string, string>> = {
  approve: i18n.t("Approval of permissions"),
  create_snapshot: i18n.t("Snapshot of the data"),
  delete: i18n.t("Deletion"),
  delete_snapshot: i18n.t("Deletion of a snapshot"),
  delete_storage: i18n.t("Deletion of stored files"),
  disable: i18n.t("Disabling"),
  enable: i18n.t("Enabling"),
  replace_key: i18n.t("Replacement of the key"),
  restart: i18n.t("Restart"),
  restore_snapshot: i18n.t("Restoration of a snapshot"),
  revoke: i18n.t("Revocation of permissions"),
  uninstall: i18n.t("Uninstallation"),
};

const stages: Readonly<Record<string, string>> = {
  create: i18n.t("the container is created"),
  delete: i18n.t("the data are deleted"),
  deploy: i18n.t("the deployment begins"),
  done: i18n.t("done"),
  pull: i18n.t("the image is pulled"),
  restart: i18n.t("the app restarts"),
  restore: i18n.t("the data are restored"),
  snapshot: i18n.t("the data are copied"),
  start: i18n.t("the app starts"),
  switch: i18n.t("requests are switched to it"),
};

/** Returns what is being done for a command. */
export function stageText(stage: string): string {
  return stages[stage] ?? stage;
}
