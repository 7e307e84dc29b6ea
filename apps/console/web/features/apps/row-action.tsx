import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { AppRow } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import type { Planned } from "../../parts/plan-dialog.tsx";
import { canInstall } from "./app-actions.tsx";

interface ActionProps {
  readonly app: AppRow;
  /** The first page of the app that the viewer may open. */
  readonly page: string | undefined;
  readonly onPlan: (planned: Planned) => void;
}

/** What a row of the list offers: to install the app, to upgrade it, or else to open it. */
export function RowAction({ app, page, onPlan }: ActionProps) {
  const { permissions } = useViewer();
  const { name, displayName, availableVersion: version } = app;
  const mayInstall = permissions.includes("app:install");
  if (mayInstall && canInstall(app)) {
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
  if (mayInstall && version) {
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
  if (page === undefined) return null;
  return (
    <Button component={Link} to={page} size="xs" variant="default" aria-label={i18n.t("Open {displayName}", { displayName })}>
      {i18n.t("Open")}
    </Button>
  );
}
