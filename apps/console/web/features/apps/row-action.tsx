import { Button } from "@mantine/core";
import type { AppRow } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import type { Planned } from "../../parts/plan-dialog.tsx";
import { canInstall } from "./app-actions.tsx";

/** The command that a row of the list offers: to install the app, or to upgrade it. */
export function RowAction({ app, onPlan }: { readonly app: AppRow; readonly onPlan: (planned: Planned) => void }) {
  const { permissions } = useViewer();
  const { name, displayName, availableVersion: version } = app;
  if (!permissions.includes("app:install")) return null;
  if (canInstall(app)) {
    return (
      <Button
        size="xs"
        variant="default"
        aria-label={i18n.t("Install {displayName}", { displayName })}
        onClick={() => onPlan({ kind: "install", name })}
      >
        {i18n.t("Install")}
      </Button>
    );
  }
  if (!version) return null;
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={i18n.t("Upgrade {displayName} to {version}", { displayName, version })}
      onClick={() => onPlan({ kind: "upgrade", name, version })}
    >
      {i18n.t("Upgrade")}
    </Button>
  );
}
